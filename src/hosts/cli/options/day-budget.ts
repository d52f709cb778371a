/** What all runs of a day may use, from the environment: it is the same for every folder. */

import { jsonIn } from '../../../core/json.ts';
import type { DayBudget } from '../../../core/session/limits.ts';
import { UsageError } from './arguments.ts';
import type { Environment } from './environment.ts';

const KINDS = ['runs', 'turns', 'calls', 'tokens', 'usd', 'minutes'] as const satisfies readonly (keyof DayBudget)[];

/** `{}` where it is not set. @throws UsageError: a budget that was meant and cannot be read is not passed over */
export function dayBudgetOf(env: Environment): DayBudget {
  const said = env.KEDGE_DAY_BUDGET?.trim();
  if (!said) return {};
  const budget = jsonIn(said);
  const entries = budget !== null && typeof budget === 'object' && !Array.isArray(budget) ? Object.entries(budget) : undefined;
  const isKnown = ([kind, amount]: [string, unknown]) => KINDS.some((known) => known === kind) && typeof amount === 'number' && amount >= 0;
  if (entries?.every(isKnown)) return Object.fromEntries(entries);
  throw new UsageError(`KEDGE_DAY_BUDGET takes a JSON object such as {"usd": 5, "tokens": 2000000}, of ${KINDS.join(', ')}.`);
}
