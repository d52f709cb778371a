import type { NotePart } from '../../core/model/messages.ts';
import type { RunContext } from './run-context.ts';

export type { RunContext };

/** Returns the context with notes that follow the user's first message of the run. */
export function withNotes(context: RunContext | undefined, notes: readonly NotePart[]): RunContext {
  let isAdded = false;
  return {
    skills: context?.skills ?? [],
    rulesFor: async (call) => context?.rulesFor(call) ?? [],
    added(event) {
      const known = context?.added(event) ?? event;
      if (isAdded || known.type !== 'message_added' || known.message.role !== 'user') return known;
      isAdded = true;
      return { ...known, message: { role: 'user', content: [...known.message.content, ...notes] } };
    },
  };
}
