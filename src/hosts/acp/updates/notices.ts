/** Says in words what a run does besides answering and calling tools. */
import type { AgentEvent, PauseReason } from '../../../core/session/events.ts';
import { reachedText } from '../../../core/words/budget-text.ts';
import { compactedText } from '../../../core/words/context-text.ts';
import { hookText } from '../../../core/words/hook-text.ts';
import { planEventText } from '../../../core/words/plan-text.ts';
import { waitingText } from '../../../core/words/retry-text.ts';

/** `isMinor` is set for what is not worth a message. Only clients that display notices receive it. */
export type Notice = { title: string; detail?: string; severity?: 'info' | 'warning' | 'error'; isMinor?: true };

const PAUSED: Record<PauseReason, string> = {
  limit: 'The run is paused at a limit.',
  max_tokens: 'The run is paused, because the answer reached the output limit.',
  interrupted: 'The run was interrupted.',
  edit_plan: 'The run is paused until the plan is edited.',
  user: 'The run is paused.',
  repeating: 'The run is paused, because the model is repeating itself.',
};

export function noticeOf(event: AgentEvent): Notice | undefined {
  switch (event.type) {
    case 'model_waiting':
      return { title: `${waitingText(event, event.waitMs)}.`, isMinor: true };
    case 'context_compacted':
      return { title: compactedText(event), ...(event.reason !== 'user' && { isMinor: true }) };
    case 'limits_shrunk':
      return { title: event.reason, severity: 'warning' };
    case 'hook_ran':
      return { title: hookText(event), severity: 'warning' };
    case 'budget_reached':
      return { title: reachedText(event), severity: 'warning' };
    case 'run_paused':
      return { title: `${PAUSED[event.reason]} To continue it, send /continue.`, severity: 'warning' };
    case 'plan_step':
      return event.unchanged ? { title: `Step ${event.step} is done and did not change any of its files.` } : undefined;
    case 'step_checked':
    case 'plan_checked':
    case 'step_rolled_back':
    case 'plan_revised': {
      const [title = '', ...rest] = planEventText(event).split('\n');
      return { title, ...(rest.length > 0 && { detail: rest.join('\n') }) };
    }
    case 'run_finished':
      if (event.error) return { title: event.error.message, severity: 'error' };
      return event.outcome === 'refused' ? { title: 'The model declined to answer.', severity: 'warning' } : undefined;
  }
}
