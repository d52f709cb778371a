/** The counts of insights. All values are sums, so numbers of any sessions, days and models can be added. */

import type { BudgetKey } from '../session/limits.ts';
import type { RuleId } from '../session/rule-ids.ts';
import type { EditFailure } from './edit-failures.ts';

type Counts<Key extends string = string> = { readonly [Name in Key]?: number };

/** How a run has ended so far. `open`: it is in progress or paused. */
export type RunEnd = 'answered' | 'plan_proposed' | 'refused' | 'stopped' | 'failed' | 'open';

/** Groups and counts that are 0 are missing. */
export type Numbers = {
  readonly runs?: Counts<RunEnd>;
  /**
   * `recovered`: the runs that were answered after they had failed or had been interrupted. `turns`: requests to a model. `compactions`:
   * shortened conversations.
   */
  readonly events?: Counts<'recovered' | 'turns' | 'compactions'>;
  /** Requested approvals by the rule that required them, and how they were answered. */
  readonly asked?: Counts<RuleId>;
  readonly approved?: Counts<RuleId>;
  readonly rejected?: Counts<RuleId>;
  /** Approvals by who answered: the user, a permission that the user had just granted, or `nobody` if no user was available. */
  readonly answeredBy?: Counts<'user' | 'grant' | 'nobody'>;
  /** Calls that ran without approval, by the rule that allowed them. */
  readonly allowed?: Counts<RuleId>;
  /** Tool calls by tool: all, those that failed, and those that were denied or rejected. */
  readonly calls?: Counts;
  readonly failedCalls?: Counts;
  readonly refusedCalls?: Counts;
  /** The time that runs spent waiting, by reason, in milliseconds. */
  readonly waitMs?: Counts<'model' | 'tools' | 'user'>;
  /** `fresh` and `cached` are input tokens. `estimated` are tokens that the service did not report. */
  readonly tokens?: Counts<'fresh' | 'cached' | 'output' | 'estimated'>;
  /** US dollars. `estimated` is the estimated cost of answers whose price is unknown, and `unpriced` is the number of such answers. */
  readonly money?: Counts<'usd' | 'estimated' | 'unpriced'>;
  /** The number of requests by how full the context window was: `0` is below 10%, `9` is 90% or more. */
  readonly window?: Counts;
  readonly failedEdits?: Counts<EditFailure>;
  readonly limits?: Counts<BudgetKey>;
  readonly ratings?: Counts<'up' | 'down'>;
};

export type Group = keyof Numbers;
/** The mutable form of the numbers, which only the fold uses. */
export type MutableNumbers = { [Name in Group]?: Record<string, number> };

/** Adds an amount to a count. A count that becomes 0 is removed, and so is an empty group. */
export function addTo(numbers: MutableNumbers, group: Group, name: string, amount = 1): void {
  if (amount === 0) return;
  const counts = numbers[group] ?? {};
  // A name can be a tool name that the model made up.
  const sum = (Object.hasOwn(counts, name) ? (counts[name] as number) : 0) + amount;
  Object.defineProperty(counts, name, { value: sum, enumerable: true, configurable: true, writable: true });
  if (sum === 0) delete counts[name];
  numbers[group] = counts;
  if (Object.keys(counts).length === 0) delete numbers[group];
}

export function sumOf(all: Iterable<Numbers>): Numbers {
  const sum: MutableNumbers = {};
  for (const numbers of all)
    for (const [group, counts] of Object.entries(numbers) as [Group, Counts][])
      for (const [name, value] of Object.entries(counts)) addTo(sum, group, name, value);
  return sum;
}

/** Returns the sum of a group. */
export function totalIn(counts: Readonly<Record<string, number | undefined>> | undefined): number {
  return Object.values(counts ?? {}).reduce<number>((sum, value) => sum + (value ?? 0), 0);
}
