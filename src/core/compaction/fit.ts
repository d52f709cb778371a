/** Decides what a compaction removes, so that the next request fits into the window. */

import { type Compaction, compactedMessages } from '../context/compacted.ts';
import { charactersFor, tokensOf, totalOf } from '../context/tokens.ts';
import type { List } from '../list.ts';
import type { Message } from '../model/messages.ts';
import { sentMessages } from '../session/reduce.ts';
import type { SessionState } from '../session/session-state.ts';
import { type Compactable, carriedState } from './carried-state.ts';

/**
 * How much a compaction removes. The first level removes little, and the last level everything that can be removed. `recent` is the share
 * of the space that the latest messages may fill unchanged, and `index` is the share of the list of earlier messages. `results` is the
 * number of characters that are kept of an older result. Without `folds`, only results are shortened. With `all`, the results and mentions
 * of the latest messages are shortened, too.
 */
type Level = { folds: boolean; recent: number; index: number; results: number; all?: true };
const LEVELS: readonly Level[] = [
  { folds: false, recent: 0.35, index: 0.08, results: 400 },
  { folds: true, recent: 0.3, index: 0.08, results: 400 },
  { folds: true, recent: 0.15, index: 0.06, results: 300 },
  { folds: true, recent: 0.06, index: 0.03, results: 200 },
  { folds: true, recent: 0, index: 0.01, results: 150 },
  { folds: true, recent: 0, index: 0.01, results: 4_000, all: true },
  { folds: true, recent: 0, index: 0.01, results: 1_000, all: true },
  { folds: true, recent: 0, index: 0.01, results: 150, all: true },
];
/** After a compaction, the messages fill at most this part of the space, so that the next compaction is not needed soon. */
const TARGET = 0.55;
/** The part of the space for a summary, and for the user's earlier messages. */
const SUMMARY_SHARE = 0.1;
const PROMPTS_SHARE = 0.25;
const RULES_SHARE = 0.15;
/** The maximum lengths to try for the user's messages. The largest one that fits is used. */
const PROMPT_CHARS = [Number.MAX_SAFE_INTEGER, 40_000, 12_000, 4_000, 1_500, 500, 200];
const MAX_SUMMARY_TOKENS = 3_000;

/**
 * A compaction without its summary. `tokens` is the size of all messages after the compaction. If it `folds`, the size includes the space
 * for a summary.
 */
export type Fit = Omit<Compaction, 'summary'> & { folds: boolean; tokens: number };

/**
 * Finds the smallest compaction after which the messages need at most about half of `space` tokens. `everything` is true if the user asked
 * for a compaction. Returns undefined if nothing can be removed.
 */
export function fitInto(state: SessionState, space: number, everything = false): Fit | undefined {
  const before = sizeOf(sentMessages(state));
  // Each level looks through the whole conversation, so it is read only once.
  const whole = { ...state, messages: state.messages.slice() };
  let best: Fit | undefined;
  for (const level of LEVELS) {
    if (everything && !level.folds) continue;
    const fit = apply(whole, level, space);
    if (!fit || fit.tokens >= before) continue;
    if (fit.tokens <= space * TARGET) return fit;
    if (!best || fit.tokens < best.tokens) best = fit;
  }
  return best;
}

export function summaryTokens(space: number): number {
  return Math.min(MAX_SUMMARY_TOKENS, space * SUMMARY_SHARE);
}

function apply(state: Compactable, { folds, recent, index, results, all }: Level, space: number): Fit | undefined {
  const { messages, compaction } = state;
  const latest = recentFrom(messages, space * recent);
  const shortenBefore = all ? messages.length : latest;
  const folded = compaction?.keepFrom ?? 0;
  const keepFrom = folds ? Math.max(folded, latest) : folded;
  const isMore = all || (folds ? keepFrom > folded : shortenBefore > (compaction?.shortenBefore ?? 0));
  if (!isMore) return undefined;
  const promptChars = promptLimit(messages.slice(0, keepFrom), space * PROMPTS_SHARE);
  const carried = keepFrom > 0 ? carriedState(state, keepFrom, charactersFor(space * index)) : '';
  const rulesChars = charactersFor(space * RULES_SHARE);
  const compacted = { keepFrom, shortenBefore, resultChars: results, promptChars, rulesChars, carried };
  const summary = folds ? '' : (compaction?.summary ?? '');
  const prefix = compactedMessages(messages, { ...compacted, summary });
  const tokens = sizeOf(prefix) + sizeOf(messages.slice(shortenBefore)) + (folds ? summaryTokens(space) : 0);
  return { ...compacted, folds, tokens };
}

/**
 * Returns the index of the first of the latest messages that together have at most `most` tokens. A call is not separated from its result.
 */
function recentFrom(messages: List<Message>, most: number): number {
  let from = messages.length;
  let size = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    size += sizeOf([messages.at(at) as Message]);
    if (size > most && from < messages.length) break;
    if (messages.at(at)?.role !== 'tool') from = at;
  }
  return from;
}

function promptLimit(messages: readonly Message[], most: number): number {
  const lengths = messages.flatMap((message) =>
    message.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text.length : 0)) : [],
  );
  const fits = (limit: number) => lengths.reduce((sum, length) => sum + Math.min(limit, length), 0) <= charactersFor(most);
  return PROMPT_CHARS.find(fits) ?? (PROMPT_CHARS.at(-1) as number);
}

export function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + totalOf(tokensOf(message)), 0);
}
