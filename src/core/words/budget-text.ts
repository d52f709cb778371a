/** Describes the limit at which a run paused, the same way in all hosts. */

import type { BudgetKey, Reached } from '../session/limits.ts';
import { dollars, tokens } from './amounts.ts';

const OF_RUN: Partial<Record<BudgetKey, (max: number) => string>> = {
  turns: (max) => `This run has taken its ${counted(max, 'turn')}.`,
  callsPerTurn: (max) => `This turn has made its ${counted(max, 'call')}.`,
  callsPerRun: (max) => `This run has made its ${counted(max, 'call')}.`,
  minutes: (max) => `This run has worked its ${counted(Math.round(max * 10) / 10, 'minute')}.`,
  tokens: (max) => `This run has used its ${tokens(max)} tokens.`,
  usd: (max) => `This run has spent its ${dollars({ usd: max })}.`,
  price: (max) =>
    `The price of this model is not known, so the limit of ${dollars({ usd: max })} would not stop it. Give its price (setting kedge.models; in the terminal --price), limit tokens instead, or continue without a limit of money.`,
  'day.runs': (max) => `All ${counted(max, 'run')} of today are used up.`,
  'day.turns': (max) => `All ${counted(max, 'turn')} of today are used up.`,
  'day.calls': (max) => `All ${counted(max, 'call')} of today are used up.`,
  'day.tokens': (max) => `All ${tokens(max)} tokens of today are used up.`,
  'day.usd': (max) => `All ${dollars({ usd: max })} of today are spent.`,
  'day.minutes': (max) => `All ${counted(max, 'minute')} of today are used up.`,
  runsPerMinute: (max) => `${counted(max, 'run')} began within one minute. Wait a moment, or go on now.`,
  cooldown: (max) => `The last run ended less than ${counted(max, 'second')} ago. Wait a moment, or go on now.`,
};

export function reachedText({ limit, max, unpriced }: Reached): string {
  const text = OF_RUN[limit]?.(max) ?? '';
  if (!unpriced) return text;
  return `${text} ${unpriced === 1 ? '1 answer without a known price is' : `${unpriced} answers without a known price are`} not counted exactly.`;
}

/** Whether the limit applies to all runs of the day. Raising it needs a separate confirmation. */
export function isOfDay(limit: BudgetKey): boolean {
  return limit.startsWith('day.');
}

/** The label of the button that lets the run continue. */
export function moreText(limit: BudgetKey): string {
  if (limit === 'runsPerMinute' || limit === 'cooldown') return 'Continue now';
  if (limit === 'price') return 'Continue without it';
  return isOfDay(limit) ? 'Raise today’s limit…' : 'Continue with more';
}

/** The question before a limit of the day is raised. */
export function raiseText({ limit, max }: Reached): string {
  const what =
    limit === 'day.usd'
      ? dollars({ usd: max })
      : limit === 'day.tokens'
        ? `${tokens(max)} tokens`
        : counted(max, limit.slice(4).replace(/s$/, ''));
  return `Raise today’s limit by another ${what}? It counts for all windows, until midnight.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
