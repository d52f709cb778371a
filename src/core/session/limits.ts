/** What limits a run, and what it has used of that. */
import type { Usage } from '../model/messages.ts';

/** `minutes` is wall time; the time that a run waits for its user does not count. */
export type Limits = { turns: number; callsPerTurn: number; callsPerRun: number; minutes: number };

/** `ms` is time without that in which the user was waited for. `unpriced` counts the answers whose cost is not known: it is in `usd` by an estimate, or not at all. */
export type Use = { turns: number; calls: number; tokens: number; usd: number; ms: number; unpriced: number };

export const NO_USE: Use = { turns: 0, calls: 0, tokens: 0, usd: 0, ms: 0, unpriced: 0 };

/** Of one run, beyond its `Limits`. */
export type RunBudget = { tokens?: number; usd?: number };

/** Of all runs of a day; then how fast one run may follow another. */
export type DayBudget = { runs?: number; turns?: number; calls?: number; tokens?: number; usd?: number; minutes?: number };

/** `cooldown` is in seconds. `price`: money is limited, and what the model costs is not known. */
export type BudgetKey = keyof Limits | keyof RunBudget | `day.${keyof DayBudget}` | 'runsPerMinute' | 'cooldown' | 'price';

/** `unpriced`: so many answers are not in the money that was counted, or by an estimate. */
export type Reached = { limit: BudgetKey; max: number; unpriced?: number };

/** Where a run that goes on with more counts from, by the limit that it had reached. */
export type Allowance = Partial<Record<BudgetKey, number>>;

/** Tokens of an answer that the service did not count, and what the answer costs with them. */
export type Estimate = { estimated?: number; estimatedUsd?: number };

export function useOfAnswer(usage: Usage | undefined, usd: number | undefined, { estimated = 0, estimatedUsd }: Estimate): Partial<Use> {
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0) + estimated;
  return usd === undefined ? { tokens, usd: estimatedUsd ?? 0, unpriced: 1 } : { tokens, usd };
}

export function addUse(sum: Use, more: Partial<Use>): Use {
  const total = { ...sum };
  for (const key of Object.keys(more) as (keyof Use)[]) total[key] += more[key] ?? 0;
  return total;
}

/** How much of what a limit limits a run has used. */
export function usedOf(limit: BudgetKey, use: Use): number {
  switch (limit) {
    case 'turns':
      return use.turns;
    case 'callsPerRun':
      return use.calls;
    case 'minutes':
      return use.ms / 60_000;
    case 'tokens':
    case 'usd':
      return use[limit];
    default:
      return 0;
  }
}
