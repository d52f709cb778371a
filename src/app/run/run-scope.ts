import type { RunPorts } from '../../core/run/ports.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { RunHooks } from '../../hooks/run-hooks.ts';
import type { RunContext } from '../context/run-context.ts';
import type { Prompt } from '../session/prompt.ts';

/** The session, and the access to the log and the user that a run is built with. */
export type RunScope = Pick<RunPorts, 'state' | 'emit' | 'pace' | 'answered' | 'replied' | 'now' | 'compactionAsked'> & {
  readonly sessionId: string;
  readonly aborted: boolean;
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** The hooks of the run, if there are any. */
  readonly hooks: HooksOfRun | undefined;
  /** The events of the session in log order. */
  readonly events: EventList;
  /** The context of the run, or undefined if it could not be determined. */
  readonly context: RunContext | undefined;
};

export type HooksOfRun = Pick<RunHooks, 'beforeTool' | 'afterTool' | 'observe'> & {
  /** Returns a message with what the hooks add to it. @throws SessionError if one of them denies it */
  admit(prompt: Prompt): Promise<Prompt>;
};
