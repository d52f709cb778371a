/** The steps of the walkthrough (package.json), each of which is completed by doing what it describes. */
import type { Session } from '../../../app/session/session.ts';
import type { AgentEvent } from '../../../core/session/events.ts';

export type TourStep = 'ask' | 'plan' | 'agent' | 'undo' | 'connect';

/** Returns the step that an event completes. */
export function tourStepOf({ state }: Pick<Session, 'state'>, event: AgentEvent): TourStep | undefined {
  switch (event.type) {
    case 'approval_resolved':
      return 'agent';
    case 'changes_undone':
      return 'undo';
    case 'run_finished': {
      const run = state.runs.get(event.runId);
      if (event.outcome !== 'answered') return undefined;
      if (run?.plan) return 'plan';
      return run?.mode === 'ask' ? 'ask' : undefined;
    }
    case 'run_started':
      return event.model.provider === 'offline' ? undefined : 'connect';
    default:
      return undefined;
  }
}
