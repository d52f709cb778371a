/** Describes the limits that the user set for a session. */

import type { BudgetKey, RunLimits, SessionLimits } from '../session/limits.ts';
import { dollars, tokens } from './amounts.ts';
import { counted } from './budget-text.ts';

const OF_SESSION: Record<keyof RunLimits, (max: number) => string> = {
  turns: (max) => counted(max, 'turn'),
  callsPerTurn: (max) => `${counted(max, 'tool call')} in one turn`,
  callsPerRun: (max) => `${counted(max, 'tool call')} in one run`,
  minutes: (max) => counted(max, 'minute'),
  tokens: (max) => `${tokens(max)} tokens`,
  usd: (max) => dollars({ usd: max }),
};

/** Returns the limits that the user set for the session as a line, or undefined if there are none. */
export function sessionLimitsText(limits: SessionLimits): string | undefined {
  const parts = (Object.entries(limits) as [keyof RunLimits, number][]).map(([limit, max]) => OF_SESSION[limit](max));
  return parts.length > 0 ? `Limits of this session: ${parts.join(', ')}` : undefined;
}

/** Returns true if the limit can be set for one session. */
export function isOfSession(limit: BudgetKey): limit is keyof RunLimits {
  return limit in OF_SESSION;
}
