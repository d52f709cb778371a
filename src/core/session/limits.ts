/** The limits of a run, and the turns, calls, tokens, cost and time that are compared with them. */
import type { Usage } from '../model/messages.ts';

/** `minutes` is wall-clock time without the time in which a run waits for the user. */
export type Limits = { turns: number; callsPerTurn: number; callsPerRun: number; minutes: number };

/**
 * `ms` excludes the time in which the run waited for the user. `unpriced` is the number of answers of unknown cost. `usd` includes an
 * estimate of their cost, if there is one.
 */
export type Use = { turns: number; calls: number; tokens: number; usd: number; ms: number; unpriced: number };

export const NO_USE: Use = { turns: 0, calls: 0, tokens: 0, usd: 0, ms: 0, unpriced: 0 };

/** Optional limits of one run: its tokens and its cost in US dollars. */
export type RunBudget = { tokens?: number; usd?: number };

/** All limits of one run. */
export type RunLimits = Limits & RunBudget;

/** Limits that the user set for one session. In each of its runs they replace those in the settings. */
export type SessionLimits = Partial<RunLimits>;

/** Limits for all runs of a day together. `usd` is in US dollars. */
export type DayBudget = { runs?: number; turns?: number; calls?: number; tokens?: number; usd?: number; minutes?: number };

/** `cooldown` is in seconds. `price` is reached when money is limited and the price of the model is unknown. */
export type BudgetKey = keyof Limits | keyof RunBudget | `day.${keyof DayBudget}` | 'runsPerMinute' | 'cooldown' | 'price';

/** `unpriced` is the number of answers whose cost is unknown, so that it was estimated or not counted. */
export type Reached = { limit: BudgetKey; max: number; unpriced?: number };

/** The limits that the user extended, with the usage at that time. An extended limit applies to the usage after that. */
export type Allowance = Partial<Record<BudgetKey, number>>;

/** Estimates for an answer: the tokens that the service did not report, and the cost of the answer including these tokens. */
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

/** Returns the usage of a run in the unit of a limit. */
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
