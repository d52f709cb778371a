/** A wait before a request is sent again, in the same words everywhere. */
import type { ModelErrorKind, ModelWaiting } from './model.ts';

const REASON: Partial<Record<ModelErrorKind, string>> = {
  rate_limit: 'Rate limited',
  overloaded: 'The service is overloaded',
  network: 'The service could not be reached',
};

/** "Rate limited. Trying again in 12 s (2 of 5)"; with nothing left to wait: "… Trying again (2 of 5)". */
export function waitingText({ reason, attempt, tries }: Omit<ModelWaiting, 'type' | 'waitMs'>, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  const when = seconds > 0 ? ` in ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}` : '';
  return `${REASON[reason] ?? 'The request failed'}. Trying again${when} (${attempt} of ${tries})`;
}
