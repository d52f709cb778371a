import type { RunPorts } from '../../core/run/ports.ts';
import type { Limits } from '../../core/session/limits.ts';
import type { SessionView } from '../../core/view/session-view.ts';

/** What a run is built for: its session, its limits, and how it reaches the log and the user. */
export type RunScope = Pick<RunPorts, 'state' | 'emit' | 'pace' | 'answered' | 'replied' | 'now'> & {
  readonly sessionId: string;
  readonly view: SessionView;
  /** Those of the user's settings when the run began or was resumed. */
  readonly limits: Limits;
  readonly aborted: boolean;
};
