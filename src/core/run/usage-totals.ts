/** What a run and its session have used up: tokens, money and time. */
import type { Cost, Usage } from '../model/messages.ts';
import { type RunRecord, type SessionState, waitsForUser } from '../session/session-state.ts';

/** What is unknown in one adds nothing to the sum, and what is unknown in both stays unknown. */
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

/** `durationMs` is of all its stretches, without the time in which the user was waited for. */
type Spent = { usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number };

/** What a run, and its session so far, have used up: for the event that ends the run. */
export function spent(run: RunRecord | undefined, session: SessionState, now: number): Spent {
  const cost = knownCost(run?.cost);
  const sessionCost = knownCost(session.cost);
  const durationMs = run ? workedMs(run, session, now) : 0;
  return { usage: run?.usage ?? {}, ...(cost && { cost }), ...(sessionCost && { sessionCost }), durationMs };
}

/** What cost nothing, as a model of this machine does, is not spoken of. */
function knownCost({ usd, ...more }: Partial<Cost> = {}): Cost | undefined {
  return usd ? { usd, ...more } : undefined;
}

/** How long it has worked by then, unless the user was waited for since the last event. */
export function workedMs({ status, used }: RunRecord, session: SessionState, now: number): number {
  return status === 'live' && !waitsForUser(session) ? used.ms + Math.max(0, now - session.at) : used.ms;
}
