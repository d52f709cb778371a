/** Combines the order of the passages by words with their order by embeddings. */
import type { Candidate } from '../index/search.ts';

export type FoundPassage = Candidate & { collection: string };
/** `similarity` is the cosine of the embeddings of the passage and of the query. */
export type SimilarPassage = FoundPassage & { similarity: number };

/**
 * Reciprocal rank fusion: the larger, the less the first ranks stand out. With these values, the most similar passage is always among the first
 * five, and a weak model does not harm much.
 */
const K = 5;
/** How much the order by embeddings counts, in comparison with the order by words. */
const SIMILAR = 0.6;

/**
 * Returns the passages of both lists. Ranks are combined and not scores, because the scores of words and the similarities of different
 * models have different scales.
 */
export function combined(byWords: readonly FoundPassage[], bySimilarity: readonly SimilarPassage[]): FoundPassage[] {
  const all = new Map<string, { passage: FoundPassage; sum: number }>();
  const add = (passage: FoundPassage, value: number) => {
    const key = `${passage.collection}\n${passage.start}\n${passage.document}`;
    const known = all.get(key);
    if (known) known.sum += value;
    else all.set(key, { passage, sum: value });
  };
  for (const [rank, passage] of byWords.toSorted((a, b) => b.score - a.score).entries()) add(passage, 1 / (K + rank));
  const similar = bySimilarity.toSorted((a, b) => b.similarity - a.similarity);
  for (const [rank, { similarity: _, ...passage }] of similar.entries()) add(passage, SIMILAR / (K + rank));
  const best = Math.max(0, ...byWords.map(({ score }) => score));
  const scale = (byWords.length > 0 ? best : Math.max(0, similar[0]?.similarity ?? 0)) / ((1 + SIMILAR) / K);
  return [...all.values()].map(({ passage, sum }) => ({ ...passage, score: Math.min(1, sum * scale) }));
}
