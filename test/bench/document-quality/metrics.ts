/** Measures of a ranking with one relevant place for each question. */

/** The rank of the first relevant result of each question, from 1, or undefined if there is none. */
export type Ranks = readonly (number | undefined)[];

export type Figures = { recall5: number; recall10: number; mrr: number; ndcg: number };

/** The normalized discounted cumulative gain counts the first relevant result, because any answer is sufficient. */
export function figuresOf(ranks: Ranks): Figures {
  const mean = (value: (rank: number) => number) =>
    ranks.reduce<number>((sum, rank) => sum + (rank === undefined || rank > 10 ? 0 : value(rank)), 0) / ranks.length;
  return {
    recall5: mean((rank) => Number(rank <= 5)),
    recall10: mean(() => 1),
    mrr: mean((rank) => 1 / rank),
    ndcg: mean((rank) => 1 / Math.log2(1 + rank)),
  };
}

/** Returns the probability that a value of the first list is greater than one of the second list. 0.5 is chance. */
export function separation(greater: readonly number[], smaller: readonly number[]): number {
  const wins = greater.flatMap((a) => smaller.map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}
