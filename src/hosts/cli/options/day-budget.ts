/** The limits for all runs of one day. They are set in the environment, because they apply to every folder. */

import { jsonIn } from '../../../core/json.ts';
import type { DayBudget } from '../../../core/session/limits.ts';
import { UsageError } from './arguments.ts';
import type { Environment } from './environment.ts';

const KINDS = ['runs', 'turns', 'calls', 'tokens', 'usd', 'minutes'] as const satisfies readonly (keyof DayBudget)[];

/**
 * Returns `{}` if the variable is not set. @throws UsageError if its value is invalid, because a limit that the user set must not be
 * ignored
 */
export function dayBudgetOf(env: Environment): DayBudget {
  const value = env.KEDGE_DAY_BUDGET?.trim();
  if (!value) return {};
  const budget = jsonIn(value);
  const entries = budget !== null && typeof budget === 'object' && !Array.isArray(budget) ? Object.entries(budget) : undefined;
  const isKnown = ([kind, amount]: [string, unknown]) => KINDS.some((each) => each === kind) && typeof amount === 'number' && amount >= 0;
  if (entries?.every(isKnown)) return Object.fromEntries(entries);
  throw new UsageError(`KEDGE_DAY_BUDGET must be a JSON object such as {"usd": 5, "tokens": 2000000}. It may contain ${KINDS.join(', ')}.`);
}
