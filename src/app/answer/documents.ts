/** Questions about collections of documents. */
import type { Question, Subject } from './answer.ts';
import type { CheckedAnswer } from './checked-answer.ts';
import { CitationChecker, type Passage, passagesIn, placeKey } from './document-citations.ts';

export type DocumentSource = { collection: string; document: string; section?: string; page?: number; lines?: string };

/** @param names the names of the collections that can be cited */
export function documentsSubject(names: readonly string[]): Subject<DocumentSource> {
  return {
    // The offline model ignores the part in `<context>`.
    prompt: ({ query, useCase }, calls) => `${query}

<context>
Answer from the collections of documents (${names.join(', ')}) alone. The answer is needed for this: ${useCase}
Search, and open sections where a passage is not enough. Make at most ${calls} tool calls; 3 to 5 are usual. Stop when the answer stands directly in a passage, when several sources agree, when the purpose is served, or when further searches bring nothing new.
After each statement, cite its place as the results show it, such as [handbook/deploy.md:12-18]. Cited places that you did not open are removed.
If the documents do not contain the answer, say "This is not in the documents", and do not guess. Answer in at most 400 words, without a summary of your search.
End with one line: "Confidence: high", "Confidence: medium" or "Confidence: low".
</context>`,
    check: (answer, events, question) => checkDocumentCitations(answer, passagesIn(events), names, question),
    nothing: 'Kedge found nothing in the documents that supports an answer.',
  };
}

const MAX_SOURCES = 30;

export function checkDocumentCitations(
  text: string,
  opened: readonly Passage[],
  names: readonly string[],
  question: Pick<Question, 'query'>,
): CheckedAnswer<DocumentSource> {
  const checker = new CitationChecker(opened, names);
  const answer = checker.check(text);
  const { cited, dropped, shortened } = checker;
  const sources = sourcesOf(cited);
  return { answer, sources, dropped, shortened, doubt: doubtAbout(question.query, cited) };
}

/** Returns the places of passages, each of them once. */
export function sourcesOf(cited: readonly Passage[]): DocumentSource[] {
  return [...new Map(cited.map((passage) => [placeKey(passage), sourceOf(passage)])).values()].slice(0, MAX_SOURCES);
}

function sourceOf({ collection, document, place, titlePath }: Passage): DocumentSource {
  const page = /^[ps](\d+)$/.exec(place)?.[1];
  return {
    collection,
    document,
    ...(titlePath.length > 0 && { section: titlePath.join(' > ') }),
    ...(page !== undefined ? { page: Number(page) } : place !== '' && { lines: place }),
  };
}

/** The share of the question's words that must occur in the cited passages. */
const COVERED = 0.5;
/** Shorter words carry little meaning. Only the first letters of longer words are compared, so that other endings match too. */
const MIN_WORD = 4;
const STEM = 5;

/** Returns why the cited passages may not answer the question. One passage is enough if it contains nearly all words of the question. */
function doubtAbout(query: string, cited: readonly Passage[]): string | undefined {
  if (cited.length === 0) return undefined;
  const asked = stemsOf(query);
  const read = cited.flatMap(({ text, titlePath, document }) => [...stemsOf(`${document} ${titlePath.join(' ')} ${text}`)]);
  const covered = asked.size === 0 ? 1 : [...asked].filter((stem) => read.some((other) => other.startsWith(stem))).length / asked.size;
  if (covered < COVERED) return 'The cited passages contain less than half of the words of the question.';
  if (covered < 0.8 && new Set(cited.map(placeKey)).size === 1)
    return 'The answer is based on one passage, which does not contain all words of the question.';
  return undefined;
}

function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= MIN_WORD && !FREQUENT.has(word)).map((word) => word.slice(0, STEM)));
}

const FREQUENT = new Set(
  'about could does done from have into long make makes many much must need needs often should some take takes that their them then there they this used uses using want what when where which will with work works would your'.split(
    ' ',
  ),
);
