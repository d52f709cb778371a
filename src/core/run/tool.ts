import type { ImagePart, TextPart } from '../model/messages.ts';
import type { JsonSchema } from '../model/model.ts';
import type { EventBody, Question, QuestionAnswer } from '../session/events.ts';
import type { Permission } from '../session/grant-scope.ts';

/** What a call can do at most. `external` reaches beyond the workspace (network, other programs). */
export type Effect = 'readonly' | 'mutating' | 'destructive' | 'external';

/**
 * A real target of a call: `path` is workspace-relative, after links and `..` were resolved.
 * `names`: of what is in it, the names alone are told.
 */
export type Target = { path: string; access: 'read' | 'write' | 'delete'; outside?: boolean; names?: true };

/** One file of a change as it is shown, logged and approved. `before` and `after` are content hashes; absent means that there is no file. */
export type ChangeSummary = {
  path: string;
  kind: 'create' | 'edit' | 'delete' | 'move';
  from?: string;
  before?: string;
  after?: string;
  added: number;
  removed: number;
  /** Unified diff for display, cut where it is very long. */
  diff: string;
  /** Known once it is staged, for undo: the mode of a file that goes, and the directories that a new one brings with it, outer ones first. */
  mode?: number;
  made?: string[];
};

/**
 * What the user made of one proposed file: left it out, left out some of its hunks (by their place in its diff, from 0), or put a
 * content of their own in its place (by its hash).
 */
export type FileRevision = 'refused' | { without: number[] } | { content: string };
/** By path; what is not named was accepted as it was proposed. */
export type Revision = Record<string, FileRevision>;

/** What is left in a file of a run's changes; `digest` names it. With a `problem` it cannot be told from what others wrote. */
export type Review = { diff: string; added: number; removed: number; digest: string } | { problem: string };

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
};

/** A command exactly as the shell gets it; `cwd` is workspace-relative. `timeoutSeconds` is named where it is not the usual one. */
export type CommandLine = {
  text: string;
  cwd: string;
  shell: 'bash' | 'sh' | 'powershell' | 'other';
  background?: true;
  timeoutSeconds?: number;
};

/** A tool of an MCP server, by its names there; the description is the server's. */
export type ServerTool = { server: string; tool: string; description: string };

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
  /** Bundles that are loaded later have a copy of this class: the mark tells, not the copy. */
  readonly isToolError = true;
  override name = 'ToolError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(value instanceof Error) || !('isToolError' in value)) return false;
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit it, and ask for themselves
    return this === ToolError || Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

export type Decision = { kind: 'allow' | 'deny' | 'ask'; rule: string; reason: string };
/** `covers`: what a yes can stand for, the widest first; absent where a yes counts once. */
export type Judgement = Decision & { covers?: Permission[] };
