/** Divides the context window of a model between the request and the answer. */

import type { ModelRef } from '../model/messages.ts';
import type { Tokens } from './tokens.ts';

/**
 * What filled the window at a request, in estimated tokens by kind. `ratio` corrects the estimate: the real number is about the estimate
 * times the ratio. `limit` is the maximum size of a request; `window` includes the answer. Both are missing if the window is unknown.
 */
export type ContextUse = { tokens: Partial<Tokens>; ratio: number; window?: number; limit?: number };

/** The part of the window that is reserved for the answer, and the most that is reserved without a setting of the user. */
const ANSWER_SHARE = 0.2;
const MAX_RESERVE = 32_000;
/** Estimates are never exact, so a part of the window stays free. */
const MARGIN = 0.04;
/** The part of a request that the results of one turn may fill together. */
const RESULTS_SHARE = 0.25;
/** A result that is cut off shows at least this many characters. */
const MIN_RESULT = 200;
/** The most characters of a result, also in a large window, because everything in it is paid for in each later request. */
const MAX_RESULT = 120_000;

/** The longest answer in tokens: as the user has set it, and as the model allows it. */
export type LongestAnswer = { set?: number | undefined; possible?: number | undefined };

/** Returns the maximum number of tokens of a request, so that the answer fits into the window, too. */
export function requestLimit(window: number, { set, possible }: LongestAnswer = {}): number {
  const usual = Math.min(possible ?? Number.POSITIVE_INFINITY, window * ANSWER_SHARE, MAX_RESERVE);
  const reserve = set === undefined ? usual : Math.min(set, window / 2);
  return Math.max(1, Math.floor(window * (1 - MARGIN) - reserve));
}

/**
 * Returns how many tokens one of `calls` results of a turn may have. It does not depend on the space that is left, because a compaction
 * makes space before the next request.
 */
export function resultTokens(limit: number, calls: number): number {
  return (limit * RESULTS_SHARE) / Math.max(1, calls);
}

export function resultCharacters(characters: number): number {
  return Math.round(Math.min(MAX_RESULT, Math.max(MIN_RESULT, characters)));
}

/** The ratio of counted to estimated tokens. Values beyond these limits come from a wrong count. */
export function ratioOf(counted: number, estimated: number): number {
  return estimated > 0 ? Math.min(3, Math.max(0.4, counted / estimated)) : 1;
}

/** Identifies a model. */
export function modelKey({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

/** The earlier name, which `ContextRoom` still uses. */
