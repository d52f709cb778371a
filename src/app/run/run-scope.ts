import type { Meter } from '../../core/run/budget.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Tool } from '../../core/run/tool.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { RunHooks } from '../../hooks/run-hooks.ts';
import type { IsDenied } from '../../mcp/types.ts';
import type { RunContext } from '../context/run-context.ts';
import type { DocumentsPort } from '../ports.ts';
import type { Prompt } from '../session/prompt.ts';

/** Everything that a child run has from its parent: at most its tools and collections, and the rest of its budget. */
export type Above = {
  meter: Meter;
  tools(): readonly Tool[];
  documents: DocumentsPort | undefined;
  /** Returns true for servers, and for their tools, that the parent cannot use. */
  isLeftOut: IsDenied;
  /** Whether the parent, or a run that it works for, has an agent. */
  isNarrowed: boolean;
  /** Whether the parent has the write gate. */
  canWrite: boolean;
  /** The run whose plan says what may be changed: the parent, or a run that it works for. */
  planned: RunRecord | undefined;
};

/** The session, and the access to the log and the user that a run is built with. */
export type RunScope = Pick<RunPorts, 'state' | 'emit' | 'pace' | 'answered' | 'replied' | 'now' | 'compactionAsked'> & {
  readonly sessionId: string;
  readonly aborted: boolean;
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** The hooks of the run, if there are any. */
  readonly hooks: Pick<RunHooks, 'beforeTool' | 'afterTool' | 'userCommands'> | undefined;
  /** The events of the session in log order. */
  readonly events: EventList;
  /** The context of the run, or undefined if it could not be determined. */
  readonly context: RunContext | undefined;
  readonly above?: Above;
  /** Returns the scope of a run that this run starts. Its events stop when this run has ended. */
  child(runId: string): Omit<RunScope, 'context' | 'above'>;
};

export type HooksOfRun = Pick<RunHooks, 'beforeTool' | 'afterTool' | 'userCommands' | 'observe' | 'forChild'> & {
  /** Returns a message with what the hooks add to it. @throws SessionError if one of them denies it */
  admit(prompt: Prompt): Promise<Prompt>;
};
