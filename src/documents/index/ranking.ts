/**
 * Ranks the passages that BM25 found. BM25 alone prefers a passage that repeats one rare word of a long question to a passage that has most of
 * its words, so repetitions count little here, and the share of the words that a passage and its document have counts too.
 */
import type { Language } from './languages.ts';
import { indexText } from './terms.ts';

/** A word of the query with the terms that stand for it. `rarity` is the logarithm that BM25 weights it by. */
export type RankedWord = { terms: readonly string[]; isPrefix: boolean; rarity: number };

/** `headings` are those above and in the passage, and `score` is that of BM25. */
export type RankedPassage = { document: string; headings: readonly string[]; text: string; language: Language; score: number };

/** How much each part of a score counts, in comparison with the words of the passage. */
const SHARE = 0.5;
const DOCUMENT_SHARE = 0.2;
const BM25 = 0.5;
/** The larger, the more a repeated word counts. */
const SATURATION = 2;
/** The greatest factor of a word in BM25. */
const MOST_OF_BM25 = 2.2;

/** Returns a score from 0 to 1 for each passage. A passage that has all words often, with no others beside them, comes near to 1. */
export function scoresOf(passages: readonly RankedPassage[], words: readonly RankedWord[]): number[] {
  const total = words.reduce((sum, { rarity }) => sum + rarity, 0);
  if (total === 0) return passages.map(() => 0);
  const counts = passages.map(({ text, headings, language }) => {
    const [inText, inHeadings] = [countsOf(text, language), countsOf(headings.join(' '), language)];
    return words.map((word) => countOf(inText, word) + Math.min(1, countOf(inHeadings, word)));
  });
  const inDocument = new Map<string, Set<RankedWord>>();
  for (const [index, { document }] of passages.entries()) {
    const found = inDocument.get(document) ?? new Set();
    inDocument.set(document, found);
    for (const [at, word] of words.entries()) if ((counts[index]?.[at] ?? 0) > 0) found.add(word);
  }
  return passages.map(({ document, score }, index) => {
    let [repeated, shared, elsewhere] = [0, 0, 0];
    for (const [at, word] of words.entries()) {
      const count = counts[index]?.[at] ?? 0;
      repeated += (word.rarity * count) / (count + SATURATION);
      if (count > 0) shared += word.rarity;
      if (inDocument.get(document)?.has(word)) elsewhere += word.rarity;
    }
    const sum = repeated + SHARE * shared + DOCUMENT_SHARE * elsewhere + (BM25 * score) / MOST_OF_BM25;
    return sum / total / (1 + SHARE + DOCUMENT_SHARE + BM25);
  });
}

function countsOf(text: string, language: Language): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of indexText(text, language).split(' ')) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function countOf(counts: ReadonlyMap<string, number>, { terms, isPrefix }: RankedWord): number {
  if (!isPrefix) return terms.reduce((sum, term) => sum + (counts.get(term) ?? 0), 0);
  let sum = 0;
  for (const [term, count] of counts) if (terms.some((beginning) => term.startsWith(beginning))) sum += count;
  return sum;
}
