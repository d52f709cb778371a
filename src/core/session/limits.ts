/** The limits of a run, and the use that is compared with them. */
import type { Usage } from '../model/messages.ts';

/** `minutes` is wall-clock time, without the time in which a run waits for its user. */
export type Limits = { turns: number; callsPerTurn: number; callsPerRun: number; minutes: number };

/**
 * `ms` excludes the time in which the run waited for the user. `unpriced` counts the answers of unknown cost; `usd` includes them by an
 * estimate or not at all.
 */
export type Use = { turns: number; calls: number; tokens: number; usd: number; ms: number; unpriced: number };

export const NO_USE: Use = { turns: 0, calls: 0, tokens: 0, usd: 0, ms: 0, unpriced: 0 };

/** Limits of one run besides `Limits`. */
export type RunBudget = { tokens?: number; usd?: number };

/** Limits of all runs of a day together. */
export type DayBudget = { runs?: number; turns?: number; calls?: number; tokens?: number; usd?: number; minutes?: number };

/** `cooldown` is in seconds. `price` is reached when money is limited and the price of the model is unknown. */
export type BudgetKey = keyof Limits | keyof RunBudget | `day.${keyof DayBudget}` | 'runsPerMinute' | 'cooldown' | 'price';

/** `unpriced` counts the answers that are missing from the money that was counted, or only estimated. */
export type Reached = { limit: BudgetKey; max: number; unpriced?: number };

/** Maps the limits with which the user let a run continue to the use at that time, from which they count again. */
export type Allowance = Partial<Record<BudgetKey, number>>;

/** Estimated tokens of an answer that the service did not count, and the cost including them. */
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

/** Returns the use of a run in the unit of a limit. */
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
