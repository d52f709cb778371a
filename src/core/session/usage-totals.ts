/** Adds up the tokens, cost and time of runs and sessions. */

import type { Cost, Usage } from '../model/messages.ts';
import type { Use } from './limits.ts';
import { type RunRecord, type SessionState, waitsForUser } from './session-state.ts';

/** Adds token counts. A count that is missing in one operand counts as 0. A count that is missing in both operands stays missing. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const total: Usage = { ...sum };
  for (const key of ['input', 'output', 'cached', 'cacheWrite', 'reasoning'] as const) {
    const value = more[key];
    if (value !== undefined) total[key] = (sum[key] ?? 0) + value;
  }
  return total;
}

export function addCost(sum: Partial<Cost>, usd: number | undefined): Partial<Cost> {
  return usd === undefined ? { ...sum, unpriced: (sum.unpriced ?? 0) + 1 } : { ...sum, usd: (sum.usd ?? 0) + usd };
}

/** `durationMs` is the duration of the run without pauses and without the time in which it waited for the user. */
type Totals = { usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number };

/** Returns the totals of a run and of its session so far, for the event that ends the run. */
export function totalsOf(run: RunRecord | undefined, session: SessionState, now: number): Totals {
  const cost = knownCost(run?.cost);
  // The state of a child run does not know the cost of the session.
  const sessionCost = run?.parent ? undefined : knownCost(session.cost);
  const durationMs = run ? workedMs(run, session, now) : 0;
  return { usage: run?.usage ?? {}, ...(cost && { cost }), ...(sessionCost && { sessionCost }), durationMs };
}

/** A cost of 0 is not reported. Local models, for example, cost nothing. */
function knownCost({ usd, ...more }: Partial<Cost> = {}): Cost | undefined {
  return usd ? { usd, ...more } : undefined;
}

/** Returns the usage of the run up to the time `now`. */
export function usedBy(run: RunRecord, session: SessionState, now: number): Use {
  return { ...run.used, ms: workedMs(run, session, now) };
}

/**
 * Returns the working time of the run in milliseconds up to the time `now`. The time in which the run waits for the user does not count.
 */
export function workedMs({ status, used }: RunRecord, session: SessionState, now: number): number {
  return status === 'live' && !waitsForUser(session) ? used.ms + Math.max(0, now - session.at) : used.ms;
}
