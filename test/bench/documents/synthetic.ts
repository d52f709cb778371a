/** Synthetic documents of 1,000 words in five sections, and questions about them. */
import type { ParsedDocument } from '../../../src/documents/document.ts';

const WORDS_PER_DOCUMENT = 1_000;
const SECTIONS = 5;

export function documentOf(seed: number): ParsedDocument {
  const next = wordsOf(seed);
  const words = (length: number) => Array.from({ length }, next).join(' ');
  const blocks: ParsedDocument['blocks'] = [];
  for (let section = 0; section < SECTIONS; section++) {
    blocks.push({ kind: 'heading', level: section === 0 ? 1 : 2, text: words(3), place: {} });
    blocks.push({ kind: 'text', text: words(WORDS_PER_DOCUMENT / SECTIONS), place: {} });
  }
  return { blocks, notes: [] };
}

/** Returns the document as Markdown. */
export function markdownOf(seed: number): string {
  const lines = documentOf(seed).blocks.map((block) =>
    block.kind === 'heading' ? `${'#'.repeat(block.level)} ${block.text}` : block.kind === 'text' ? block.text : '',
  );
  return `${lines.join('\n\n')}\n`;
}

/** Returns different questions of two to five words. */
export function queryOf(number: number): string {
  const words = wordsOf(1_000_003 + number);
  return `how to ${Array.from({ length: 2 + (number % 4) }, () => words()).join(' ')}`;
}

const SYLLABLES =
  'ba be bi bo da de di do fa fe ga ge ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se so ta te ti to'.split(
    ' ',
  );
const VOCABULARY = 50_000;

/** Returns words from a vocabulary by Zipf's law: the word with the rank n is n times rarer than the first one, as in texts. */
function wordsOf(seed: number): () => string {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => wordAt(Math.floor(VOCABULARY ** random()) - 1);
}

function wordAt(rank: number): string {
  let rest = rank + SYLLABLES.length;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}
