import type { RunError } from '../core/session/events.ts';

/** The type of a message from the panel. An extension command has the same effect. */
export type Remedy = 'connect_model' | 'pick_model' | 'new_session';

/** The button under a failed run that helps to correct the failure. It is displayed beside the button that tries again. */
export const REMEDY: Partial<Record<RunError['kind'], { label: string; action: Remedy }>> = {
  auth: { label: 'Connect a model', action: 'connect_model' },
  unknown_model: { label: 'Choose a model', action: 'pick_model' },
  no_credit: { label: 'Choose another model', action: 'pick_model' },
  rate_limit: { label: 'Choose another model', action: 'pick_model' },
  overloaded: { label: 'Choose another model', action: 'pick_model' },
  invalid_request: { label: 'Choose another model', action: 'pick_model' },
  context_overflow: { label: 'Start a new session', action: 'new_session' },
  timeout: { label: 'Choose another model', action: 'pick_model' },
  empty_answer: { label: 'Choose another model', action: 'pick_model' },
  network: { label: 'Check the connection', action: 'connect_model' },
};
