/** Divides the context window of a model between the request and the answer. */

import type { ModelRef } from '../model/messages.ts';
import type { Tokens } from './tokens.ts';

/**
 * The content of the window at a request, in estimated tokens by kind. The actual number of tokens is about the estimate times `ratio`.
 * `limit` is the maximum size of a request; `window` includes the answer. Both are missing if the window is unknown.
 */
export type ContextUse = { tokens: Partial<Tokens>; ratio: number; window?: number; limit?: number };

/** The share of the window that is reserved for the answer, and the maximum that is reserved if the user has not set a limit. */
const ANSWER_SHARE = 0.2;
const MAX_RESERVE = 32_000;
/** A share of the window stays free, because estimates are never exact. */
const MARGIN = 0.04;
/** The share of a request that the results of one turn may fill together. */
const RESULTS_SHARE = 0.25;
/** A result that is cut off shows at least this many characters. */
const MIN_RESULT = 200;
/**
 * The maximum number of characters of a result. It also applies to a large window, because each later request pays for the result again.
 */
const MAX_RESULT = 120_000;

/** The maximum number of tokens of an answer: the user's setting, and the limit of the model. */
export type LongestAnswer = { set?: number | undefined; possible?: number | undefined };

/** Returns the maximum number of tokens of a request, so that the answer fits into the window, too. */
export function requestLimit(window: number, { set, possible }: LongestAnswer = {}): number {
  const usual = Math.min(possible ?? Number.POSITIVE_INFINITY, window * ANSWER_SHARE, MAX_RESERVE);
  const reserve = set === undefined ? usual : Math.min(set, window / 2);
  return Math.max(1, Math.floor(window * (1 - MARGIN) - reserve));
}

/**
 * Returns how many tokens each result may have in a turn with `calls` calls. It does not depend on the free space, because a compaction
 * frees space before the next request.
 */
export function resultTokens(limit: number, calls: number): number {
  return (limit * RESULTS_SHARE) / Math.max(1, calls);
}

export function resultCharacters(characters: number): number {
  return Math.round(Math.min(MAX_RESULT, Math.max(MIN_RESULT, characters)));
}

/** The limits of the ratio of counted to estimated tokens. A ratio outside these limits is the result of a wrong count. */
export function ratioOf(counted: number, estimated: number): number {
  return estimated > 0 ? Math.min(3, Math.max(0.4, counted / estimated)) : 1;
}

/** Identifies a model. */
export function modelKey({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}
