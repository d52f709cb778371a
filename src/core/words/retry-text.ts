/** A wait before a request is sent again, in the same words everywhere. */

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

/** "Rate limited. Trying again in 12 s (2 of 5)"; with nothing left to wait: "… Trying again (2 of 5)". */
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

/** Whether a wait is over with this event: the model's answer and the end of the run end it, what the user does meanwhile does not. */
export function endsWait({ type }: Pick<EventBody, 'type'>): boolean {
  return ENDS_WAIT.has(type);
}
