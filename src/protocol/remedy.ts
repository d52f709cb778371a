import type { RunError } from '../core/session/events.ts';

/** Stands both for the panel's message and for the extension's command. */
export type Remedy = 'connect_model' | 'pick_model' | 'new_session';

/** What a user can do about a failed run beside trying it again, as a button. */
export const REMEDY: Partial<Record<RunError['kind'], { label: string; action: Remedy }>> = {
  auth: { label: 'Connect a model', action: 'connect_model' },
  unknown_model: { label: 'Choose a model', action: 'pick_model' },
  no_credit: { label: 'Choose another model', action: 'pick_model' },
  rate_limit: { label: 'Choose another model', action: 'pick_model' },
  overloaded: { label: 'Choose another model', action: 'pick_model' },
  invalid_request: { label: 'Choose another model', action: 'pick_model' },
  context_overflow: { label: 'New session', action: 'new_session' },
  timeout: { label: 'Choose another model', action: 'pick_model' },
  empty_answer: { label: 'Choose another model', action: 'pick_model' },
  network: { label: 'Check the connection', action: 'connect_model' },
};
