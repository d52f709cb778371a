/** Describes the limit at which a run paused, the same way in all hosts. */

import type { BudgetKey, Reached } from '../session/limits.ts';
import { dollars, tokens } from './amounts.ts';

const OF_RUN: Partial<Record<BudgetKey, (max: number) => string>> = {
  turns: (max) => `This run has reached its limit of ${counted(max, 'turn')}.`,
  callsPerTurn: (max) => `This turn has reached its limit of ${counted(max, 'tool call')}.`,
  callsPerRun: (max) => `This run has reached its limit of ${counted(max, 'tool call')}.`,
  minutes: (max) => `This run has reached its limit of ${counted(Math.round(max * 10) / 10, 'minute')}.`,
  tokens: (max) => `This run has reached its limit of ${tokens(max)} tokens.`,
  usd: (max) => `This run has reached its limit of ${dollars({ usd: max })}.`,
  price: (max) =>
    `The price of this model is unknown, so the limit of ${dollars({ usd: max })} cannot be enforced. Set the price (kedge.models in the settings, --price in the terminal), limit tokens instead, or continue without a cost limit.`,
  'day.runs': (max) => `Today’s limit of ${counted(max, 'run')} has been reached.`,
  'day.turns': (max) => `Today’s limit of ${counted(max, 'turn')} has been reached.`,
  'day.calls': (max) => `Today’s limit of ${counted(max, 'tool call')} has been reached.`,
  'day.tokens': (max) => `Today’s limit of ${tokens(max)} tokens has been reached.`,
  'day.usd': (max) => `Today’s limit of ${dollars({ usd: max })} has been reached.`,
  'day.minutes': (max) => `Today’s limit of ${counted(max, 'minute')} has been reached.`,
  runsPerMinute: (max) => `${counted(max, 'run')} started within one minute. Wait a moment, or continue now.`,
  cooldown: (max) => `The last run ended less than ${counted(max, 'second')} ago. Wait a moment, or continue now.`,
};

export function reachedText({ limit, max, unpriced }: Reached): string {
  const text = OF_RUN[limit]?.(max) ?? '';
  if (!unpriced) return text;
  return `${text} ${unpriced === 1 ? 'The cost of 1 answer is' : `The cost of ${unpriced} answers is`} unknown, so the actual cost may differ.`;
}

/** Returns true if the limit applies to all runs of the day. Raising it needs a separate confirmation. */
export function isOfDay(limit: BudgetKey): boolean {
  return limit.startsWith('day.');
}

/** The label of the button that lets the run continue. */
export function moreText(limit: BudgetKey): string {
  if (limit === 'runsPerMinute' || limit === 'cooldown') return 'Continue now';
  if (limit === 'price') return 'Continue without a cost limit';
  if (isOfDay(limit)) return 'Raise today’s limit…';
  return limit === 'tokens' || limit === 'usd' ? 'Continue with a higher limit' : 'Continue';
}

/** Returns the question that the user must confirm before a daily limit is raised. */
export function raiseText({ limit, max }: Reached): string {
  const what =
    limit === 'day.usd'
      ? dollars({ usd: max })
      : limit === 'day.tokens'
        ? `${tokens(max)} tokens`
        : counted(max, limit.slice(4).replace(/s$/, ''));
  return `Raise today’s limit by another ${what}? The new limit applies to all windows until midnight.`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
