/** The shape of the event of a hook. */
import { type FieldChecks, oneOf, optional, string } from '../../shape.ts';
import type { HookMoment, HookRan } from '../effects.ts';

export const hookRan: FieldChecks<Omit<HookRan, 'type'>> = {
  hook: string,
  source: oneOf<HookRan['source']>({ user: true, workspace: true }),
  moment: oneOf<HookMoment>({ before_tool: true, after_tool: true, before_prompt: true, question: true, run_end: true }),
  outcome: oneOf<HookRan['outcome']>({ denied: true, asked: true, added: true, notified: true, failed: true, skipped: true }),
  text: string,
  callId: optional(string),
};
