import type { ImagePart, TextPart } from '../model/messages.ts';
import type { JsonSchema } from '../model/model.ts';
import type { ChangeSummary, CommandLine, Decision, Effect, FileRead, Reason, Revision, ServerTool, Target } from '../session/effects.ts';
import type { EventBody, PauseReason, Question, QuestionAnswer } from '../session/events.ts';
import type { Permission } from '../session/grant-scope.ts';
import type { Reached } from '../session/limits.ts';

/**
 * How a call ends its run: the model proposed a plan, the user wants to edit the plan, the user stopped the run, or a step of the plan
 * failed.
 */
export type RunEnd = 'plan_proposed' | 'edit_plan' | 'stopped' | 'failed';

/** The events that a tool may write to the log. */
export type ToolEvent = Extract<
  EventBody,
  {
    type:
      | 'changes_staged'
      | 'changes_dropped'
      | 'file_changed'
      | 'undo_staged'
      | 'todo_changed'
      | 'plan_proposed'
      | 'plan_step'
      | 'step_checked'
      | 'plan_checked'
      | 'step_rolled_back';
  }
>;

export type ToolOutput = {
  content: string | (TextPart | ImagePart)[];
  isError?: boolean;
  /** Events that are logged together with the result. */
  events?: ToolEvent[];
  endsRun?: RunEnd;
  /** The outcome in one or two words, such as `exit 1`. It is displayed beside the title. */
  note?: string;
  /** Whether the command of the call was stopped before it ended. */
  stopped?: true;
  /** The file that the call read. */
  read?: FileRead;
  /** The number of characters of the result that the model receives at most. */
  most?: number;
};

/** A request of an MCP server to the model, in text. */
export type SampleRequest = { system: string; messages: readonly { role: 'user' | 'assistant'; text: string }[]; maxTokens: number };
export type Sample = { text: string; isCut: boolean };
/** Sends requests to the model of the run, within its limits. @throws Error if the model does not answer */
export type ModelUse = { name: string; sample(request: SampleRequest, cancelled?: AbortSignal): Promise<Sample> };

export type ExecuteContext = {
  callId: string;
  signal: AbortSignal;
  /** The number of characters of the result that the model receives. The rest is cut out of its middle. */
  mostCharacters?: number;
  /** Displays text while the call runs. The text is not logged. */
  progress(text: string): void;
  /** Appends an event to the log before it returns. */
  record(event: ToolEvent): void;
  /**
   * Waits for the user's answer. After a reload the call is executed again from its start, and a question that was already answered is not
   * asked again. The code before a question must therefore be safe to repeat. When `withdrawn` is aborted, the question is no longer shown, and
   * is answered by nobody.
   */
  ask(question: Question, withdrawn?: AbortSignal): Promise<QuestionAnswer>;
  /** The model of the run. It is missing where no run executes the call. */
  model?: ModelUse;
};

/**
 * A call with valid input and a known effect. `digest` identifies the effect: an approved call is executed only while its digest is
 * unchanged.
 */
export type PreparedCall = {
  title: string;
  targets: Target[];
  changes?: ChangeSummary[];
  digest?: string;
  command?: CommandLine;
  /** The complete URL that the call requests. */
  address?: string;
  mcp?: ServerTool;
  /** The hosts that the call contacts, with a port when the URL contains one. */
  hosts?: string[];
  /** Whether one of the hosts is this computer or in a private network. */
  privateHost?: boolean;
  /**
   * Files that were read to prepare the call although reading them needs approval. The policy therefore also judges the call as a read
   * of these files.
   */
  readToPrepare?: string[];
  /** Earlier calls whose results this call returns again. The policy also judges the call by the rules that apply to them now. */
  repeats?: EarlierCall[];
  /** Returns the call reduced to the parts that the user accepted. The reduced call never changes additional files. */
  revise?(revision: Revision): Promise<PreparedCall>;
  execute(context: ExecuteContext): Promise<ToolOutput>;
};

/** A call that was carried out earlier in the session. `command` is its command line; the shell is the one of this host. */
export type EarlierCall = Pick<Tool, 'name' | 'effect' | 'source'> & {
  targets: readonly Target[];
  hosts?: readonly string[];
  command?: Pick<CommandLine, 'text' | 'cwd'>;
};

export interface Tool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  effect: Effect;
  /** `builtin`, or `mcp:<server>`. */
  source: string;
  /** A hash of the complete tool list of the MCP server. Permissions for the tool are valid only while this hash is unchanged. */
  fingerprint?: string;
  /** Why each call needs approval, regardless of rules and permissions. */
  danger?: Pick<Decision, 'rule' | 'reason'> | undefined;
  /** Whether a call runs alone although the tool is read-only, because later calls depend on it. The input of the call is not checked yet. */
  alone?: boolean | ((input: unknown) => boolean);
  /** Whether a call is carried out by a child run. Only the steps of that run count as steps, and a stop waits until it has ended. */
  delegates?: boolean;
  /**
   * Validates the input and computes the effect without causing it. @throws ToolError with a message that allows the model to correct the
   * call.
   */
  prepare(input: unknown, signal: AbortSignal): Promise<PreparedCall>;
}

/** Returns a copy of the tool with another `prepare`. Getters are copied as getters. */
export function wrapTool(tool: Tool, prepare: Tool['prepare']): Tool {
  return Object.defineProperties({} as Tool, { ...Object.getOwnPropertyDescriptors(tool), prepare: { value: prepare, enumerable: true } });
}

/** A failure whose message tells the model how to correct the call. Other errors are reported to the model as internal failures. */
export class ToolError extends Error {
  override name = 'ToolError';
}

/**
 * `covers` lists the permissions that the user can grant with an approval, widest first. It is missing when an approval applies to this
 * call only. `secret` is set when an approval lets the model read a file that may contain keys or passwords. `reasons` are all reasons for an
 * approval, if there are several. The most serious reason is first.
 */
export type Judgement = Decision & { covers?: Permission[]; secret?: true; reasons?: Reason[] };

/** Why a run stops before its next step. */
export type Halt = { reason: Exclude<PauseReason, 'limit' | 'interrupted'> } | { reason: 'limit'; reached: Reached };

/** Thrown by a call that was not finished, because its child run has paused. The run pauses, too, and carries the call out when it continues. */
export class CallHalted extends Error {
  override name = 'CallHalted';
  readonly halt: Halt;

  constructor(halt: Halt) {
    super('The call was paused.');
    this.halt = halt;
  }
}
