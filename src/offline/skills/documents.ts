/** Answers from the user's documents by quoting the passages that fit best. */
import { citationsIn } from '../../documents/citations.ts';
import { paragraphs } from '../markdown.ts';
import { askOne, type Outcome, type Skill } from '../script.ts';
import { firstLine } from './survey.ts';

type Passage = ReturnType<typeof citationsIn>[number];

export const SEARCH = 'documents_search';
const LIMIT = 4;
const MAX_QUOTE = 900;
export const NOT_FOUND: Outcome = { text: paragraphs('This is not in the documents.', 'Confidence: low') };
const NOT_JUDGED = 'Offline quotes the passages that fit best. It cannot tell whether they answer the question.';

/** Returns undefined if no passage contains a word of the query. */
export function* documents(query: string): Skill<Outcome | undefined> {
  const reply = yield* askOne('Searching the documents.', { name: SEARCH, input: { query, limit: LIMIT } });
  if (reply.isError) return { text: `The documents could not be searched: ${firstLine(reply.text)}`, failed: reply.text };
  const [best, ...others] = citationsIn(reply.text);
  if (!best) return undefined;
  const more = others.length > 0 ? `Also: ${others.map(place).join(', ')}` : '';
  return { text: paragraphs(quoted(best), more, NOT_JUDGED, 'Confidence: low') };
}

function quoted(passage: Passage): string {
  const text = passage.text.trim();
  const shown = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  const lines = shown.split('\n').map((line) => `> ${line}`.trimEnd());
  return `${passage.titlePath.join(' > ')} ${place(passage)}:\n\n${lines.join('\n')}`.trim();
}

function place({ collection, document, place: at }: Passage): string {
  return `[${collection}/${document}${at && `:${at}`}]`;
}
