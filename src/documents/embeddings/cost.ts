/** Describes the cost of embeddings, and what came of an update, for the user. */
import type { EmbeddingCost, EmbeddingReport } from './update.ts';

const number = (value: number) => value.toLocaleString('en');
const passages = (count: number) => `${number(count)} ${count === 1 ? 'passage' : 'passages'}`;

/** Says what is sent where, and what it costs. A question follows it. */
export function costText({ collection, label, isLocal, passages: count, tokens, usd, withheld, before }: EmbeddingCost): string {
  const where = isLocal ? `${label} on this computer computes them` : `Their text is sent to ${label}`;
  const sentences = [
    before && `The embeddings of ${collection} are of another model (${before}) and are replaced.`,
    `${passages(count)} of ${collection} (about ${number(tokens)} tokens) ${count === 1 ? 'has' : 'have'} no embedding yet.`,
    `${where}${isLocal ? '' : priceText(usd)}.`,
    withheld > 0 && `${passages(withheld)} with text that looks like a key ${withheld === 1 ? 'is' : 'are'} left out.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function priceText(usd: number | undefined): string {
  if (usd === undefined) return '; its price is unknown';
  if (usd === 0) return ', which costs nothing';
  return usd < 0.01 ? ', which costs less than $0.01' : `, which costs about $${usd.toFixed(2)}`;
}

/** `again` says how to continue. */
export function embeddingText({ embedded, withheld, todo, declined, problem }: EmbeddingReport, again: string): string {
  const sentences = [
    `${number(embedded)} ${embedded === 1 ? 'embedding' : 'embeddings'} computed${withheld > 0 ? `, ${passages(withheld)} with keys left out` : ''}.`,
    problem && `${problem} The search by words is complete; ${passages(todo)} still ${todo === 1 ? 'has' : 'have'} no embedding.`,
    declined && `${passages(todo)} can only be found by words.`,
    (problem || declined) && again,
  ];
  return sentences.filter(Boolean).join(' ');
}
