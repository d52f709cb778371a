import type { RunPorts } from '../../core/run/ports.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import type { Limits } from '../../core/session/limits.ts';
import type { SessionView } from '../../core/view/session-view.ts';
import type { RunContext } from '../context/run-context.ts';

/** The session, the limits, and the access to the log and the user that a run is built with. */
export type RunScope = Pick<RunPorts, 'state' | 'emit' | 'pace' | 'answered' | 'replied' | 'now' | 'compactionAsked'> & {
  readonly sessionId: string;
  readonly view: SessionView;
  /** The limits in the user's settings when the run began or was resumed. */
  readonly limits: Limits;
  readonly aborted: boolean;
  /** The events of the session in log order. */
  readonly events: readonly AgentEvent[];
  /** Missing if it could not be determined. */
  readonly context: RunContext | undefined;
};
