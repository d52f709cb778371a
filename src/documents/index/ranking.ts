/**
 * Ranks the passages that BM25 found. BM25 alone prefers a passage that repeats one rare word of a long question to a passage that has most of
 * its words, so repetitions count little here, and the share of the words that a passage has counts too.
 */
import type { Language } from './languages.ts';
import { indexText } from './terms.ts';

/** A word of the query with the terms that stand for it. `rarity` is the logarithm that BM25 weights it by. */
export type RankedWord = { terms: readonly string[]; isPrefix: boolean; rarity: number };

/** `headings` are those above and in the passage, and `score` is that of BM25. */
export type RankedPassage = { title: string; headings: readonly string[]; text: string; language: Language; score: number };

/** How much the parts of a score count, in comparison with the words of the passage. */
const SHARE = 0.25;
const BM25 = 1.5;
/** How much a word in the title of the document or in its path counts, in comparison with a word of the text or of a heading. */
const TITLE = 0.5;
/** The larger, the more a repeated word counts. */
const SATURATION = 2;
/** The greatest factor of a word in BM25. */
const MOST_OF_BM25 = 2.2;

/** Returns a score from 0 to 1 for each passage. A passage that has all words of the query, and several times, comes near to 1. */
export function scoresOf(passages: readonly RankedPassage[], words: readonly RankedWord[]): number[] {
  const total = words.reduce((sum, { rarity }) => sum + rarity, 0);
  if (total === 0) return passages.map(() => 0);
  return passages.map(({ title, headings, text, language, score }) => {
    const [inTitle, inHeadings, inText] = [title, headings.join(' '), text].map((part) => countsOf(part, language)) as [
      Counts,
      Counts,
      Counts,
    ];
    let [repeated, shared] = [0, 0];
    for (const word of words) {
      const count = countOf(inText, word) + Math.min(1, countOf(inHeadings, word)) + TITLE * Math.min(1, countOf(inTitle, word));
      repeated += (word.rarity * count) / (count + SATURATION);
      if (count > 0) shared += word.rarity;
    }
    return (repeated + SHARE * shared + (BM25 * score) / MOST_OF_BM25) / total / (1 + SHARE + BM25);
  });
}

type Counts = ReadonlyMap<string, number>;

function countsOf(text: string, language: Language): Counts {
  const counts = new Map<string, number>();
  for (const term of indexText(text, language).split(' ')) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function countOf(counts: Counts, { terms, isPrefix }: RankedWord): number {
  if (!isPrefix) return terms.reduce((sum, term) => sum + (counts.get(term) ?? 0), 0);
  let sum = 0;
  for (const [term, count] of counts) if (terms.some((beginning) => term.startsWith(beginning))) sum += count;
  return sum;
}
