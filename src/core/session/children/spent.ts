/** Adds up what runs spend. What a child spends counts for its parent as well, at once, so it spends from what is left of its budget. */

import type { Usage } from '../../model/messages.ts';
import type { AgentEvent } from '../events.ts';
import { addUse, type Use, useOfAnswer } from '../limits.ts';
import type { MutableRunRecord, MutableSessionState } from '../session-state.ts';
import { addCost, addUsage } from '../usage-totals.ts';

/** `answer` is set for the answer of a model. Its cost is unknown if `usd` is missing. */
type Spent = { use: Partial<Use>; answer?: { usage: Usage | undefined; usd: number | undefined } };

export function spentIn(event: AgentEvent): Spent | undefined {
  switch (event.type) {
    case 'turn_started':
      return { use: { turns: 1 } };
    case 'tool_finished':
      return { use: { calls: 1 } };
    case 'message_added': {
      if (event.message.role !== 'assistant') return undefined;
      const { usage, usd } = event.message;
      return { use: useOfAnswer(usage, usd, event), answer: { usage, usd } };
    }
    case 'context_compacted': {
      const { usage, usd } = event;
      const isAsked = usage !== undefined || event.estimated !== undefined;
      return isAsked ? { use: useOfAnswer(usage, usd, event), answer: { usage, usd } } : undefined;
    }
    default:
      return undefined;
  }
}

export function addSpent(state: MutableSessionState, run: MutableRunRecord | undefined, { use, answer }: Spent): void {
  if (run) run.used = addUse(run.used, use);
  if (!answer) return;
  for (const sum of run ? [run, state] : [state]) {
    sum.cost = addCost(sum.cost, answer.usd);
    if (answer.usage) sum.usage = addUsage(sum.usage, answer.usage);
  }
}
