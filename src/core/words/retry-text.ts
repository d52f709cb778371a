/** Describes the wait before a request is sent again, the same way in all hosts. */

import type { ModelErrorKind, ModelWaiting } from '../model/model.ts';
import type { EventBody } from '../session/events.ts';

const REASON: Partial<Record<ModelErrorKind, string>> = {
  rate_limit: 'Rate limited',
  overloaded: 'The service is overloaded',
  network: 'The service could not be reached',
  timeout: 'The service did not answer',
  empty_answer: 'The model’s answer was empty',
};

function timeText(leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Example: "Rate limited. Trying again in 12 s (2 of 5)", or "… Trying again (2 of 5)" when no time is left. */
export function waitingText({ reason, attempt, tries, silent }: Omit<ModelWaiting, 'type' | 'waitMs'>, leftMs: number): string {
  if (silent) return `The model has not answered yet. ${leftMs > 0 ? `Waiting up to ${timeText(leftMs)} more` : 'Still waiting'}`;
  const when = leftMs > 0 ? ` in ${timeText(leftMs)}` : '';
  return `${REASON[reason] ?? 'The request failed'}. Trying again${when} (${attempt} of ${tries})`;
}

const ENDS_WAIT: ReadonlySet<EventBody['type']> = new Set([
  'run_started',
  'turn_started',
  'text_delta',
  'reasoning_delta',
  'tool_input_delta',
  'message_added',
  'budget_reached',
  'run_paused',
  'run_resumed',
  'run_finished',
]);

/** Returns true if this event ends a wait. Output of the model and the end of the run do; the user's actions do not. */
export function endsWait({ type }: Pick<EventBody, 'type'>): boolean {
  return ENDS_WAIT.has(type);
}
