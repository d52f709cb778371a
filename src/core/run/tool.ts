import type { ImagePart, TextPart } from '../model/messages.ts';
import type { JsonSchema } from '../model/model.ts';
import type { ChangeSummary, CommandLine, Decision, Effect, Revision, ServerTool, Target } from '../session/effects.ts';
import type { EventBody, Question, QuestionAnswer } from '../session/events.ts';
import type { Covers } from '../session/grant-scope.ts';

/** How a call ends its run: a plan waits for the user; the user wants to edit the plan, or stopped the run; a step of the plan failed. */
export type RunEnd = 'plan_proposed' | 'edit_plan' | 'stopped' | 'failed';

/** The events that a tool may put into the log. */
export type ToolEvent = Extract<
  EventBody,
  {
    type:
      | 'changes_staged'
      | 'changes_dropped'
      | 'file_changed'
      | 'undo_staged'
      | 'plan_proposed'
      | 'plan_step'
      | 'step_checked'
      | 'step_rolled_back';
  }
>;

export type ToolOutput = {
  content: string | (TextPart | ImagePart)[];
  isError?: boolean;
  /** They go into the log with the result. */
  events?: ToolEvent[];
  endsRun?: RunEnd;
  /** How it ended, in a word or two beside the title: `exit 1`. */
  note?: string;
  /** The command that it is about was stopped before it ended. */
  stopped?: true;
};

export type ExecuteContext = {
  callId: string;
  signal: AbortSignal;
  /** Shown while the call runs; not logged. */
  progress(text: string): void;
  /** Appended to the log before it returns. */
  record(event: ToolEvent): void;
  /**
   * Waits until the user has answered. After a reload the call is executed again from its beginning, and a question that was
   * answered by then is not asked a second time: what comes before it must bear to be done twice.
   */
  ask(question: Question): Promise<QuestionAnswer>;
};

/**
 * A call whose input is valid and whose effect is known. `digest` stands for the final effect:
 * what was approved is executed only while the digest is still the same.
 */
export type PreparedCall = {
  title: string;
  targets: Target[];
  changes?: ChangeSummary[];
  digest?: string;
  command?: CommandLine;
  /** On the web, that it gets, whole and as it is sent. */
  address?: string;
  mcp?: ServerTool;
  /** Hosts on the network that it would speak to, with their ports where they name one. */
  hosts?: string[];
  /** One of them is this computer or in a private network. */
  privateHost?: boolean;
  /** Files that were read to prepare the call although reading them needs an approval. The call is judged as reading them, too. */
  readToPrepare?: string[];
  /** The call with as much of its effect as the user kept, never more than these files. */
  revise?(revision: Revision): Promise<PreparedCall>;
  execute(context: ExecuteContext): Promise<ToolOutput>;
};

export interface Tool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  effect: Effect;
  /** `builtin`, or `mcp:<server>`. */
  source: string;
  /** Of an MCP server's whole list of tools: what the user granted to a tool counts for this list only. */
  fingerprint?: string;
  /** Runs alone, though it only reads: what comes of it decides whether the calls after it are carried out at all. */
  alone?: boolean;
  /** Validates the input and computes the effect without causing it. @throws ToolError that the model can correct. */
  prepare(input: unknown, signal: AbortSignal): Promise<PreparedCall>;
}

/** The same tool with another `prepare`. A lazy schema stays lazy, and no field is lost. */
export function wrapTool(tool: Tool, prepare: Tool['prepare']): Tool {
  return Object.defineProperties({} as Tool, { ...Object.getOwnPropertyDescriptors(tool), prepare: { value: prepare, enumerable: true } });
}

/** A failure that the model is told and can correct. Anything else that a tool throws is told to it as well, as an internal failure. */
export class ToolError extends Error {
  override name = 'ToolError';
}

/**
 * `covers`: what a yes can stand for, the widest first; absent where a yes counts once.
 * `secret`: a yes shows the model a file that may hold keys or passwords.
 */
export type Judgement = Decision & { covers?: Covers[]; secret?: true };
