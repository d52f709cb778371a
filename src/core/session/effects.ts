import type { Mode } from '../modes.ts';
import type { RuleId } from './rule-ids.ts';
/** The effects of a tool call as data, for events, approvals and the policy. */

/**
 * The strongest effect that a tool call can have. `external` means that the call reaches beyond the workspace, such as the network or other
 * programs.
 */
export type Effect = 'readonly' | 'mutating' | 'destructive' | 'external';

/**
 * A resource that a call accesses. `path` is relative to the workspace, with symbolic links and `..` resolved. With `names`, the call reads
 * only the names of the directory's entries.
 */
export type Target = { path: string; access: 'read' | 'write' | 'delete'; outside?: boolean; names?: true };

/**
 * One file of a change as it is displayed, logged and approved. `before` and `after` are content hashes. A hash is missing when the file
 * does not exist before or after the change.
 */
export type ChangeSummary = {
  path: string;
  kind: 'create' | 'edit' | 'delete' | 'move';
  from?: string;
  before?: string;
  after?: string;
  added: number;
  removed: number;
  /** The unified diff for display, cut off when it is very long. */
  diff: string;
  /**
   * The mode of a deleted file, and the directories that a new file creates, outermost first. They are set when the change is staged, and used for
   * undo.
   */
  mode?: number;
  made?: string[];
};

/** A file that a call read completely or in part, and the hash of its content at that moment. */
export type FileRead = { path: string; digest: string };

/**
 * The user's decision on one proposed file: refuse it, leave out some hunks (by index, from 0), or replace it with an edited content (by
 * hash).
 */
export type FileRevision = 'refused' | { without: number[] } | { content: string };

/** Decisions by path. A file without a decision was accepted as proposed. */
export type Revision = Record<string, FileRevision>;

/**
 * The changes of a run that a file still contains. `digest` identifies them. `problem` says why they cannot be separated from changes by
 * others.
 */
export type Review = { diff: string; added: number; removed: number; digest: string } | { problem: string };

/**
 * A command exactly as the shell receives it. `cwd` is relative to the workspace. `timeoutSeconds` is set only when it differs from the
 * default.
 */
export type CommandLine = {
  text: string;
  cwd: string;
  shell: 'bash' | 'sh' | 'powershell' | 'other';
  background?: true;
  timeoutSeconds?: number;
};

/**
 * Code from an answer that the user applies to a file. `at` is the range of lines that it replaces, counted from 1, in the content with the
 * hash `before`. Without `at`, the file is created. With `patch`, the code is a diff of the complete file.
 */
export type AppliedCode = { path: string; code: string; at?: { line: number; removes: number; before: string; patch?: true } };

/** The changes of a worktree that the user applies to their own files. `worktree` is its id. */
export type AppliedWorktree = { worktree: string };

/** A tool of an MCP server. `server` is the name in the settings. `tool` and `description` come from the server. */
export type ServerTool = { server: string; tool: string; description: string; details?: Detail[] };

/** The details that an approval shows besides the arguments of a call. With `isCode`, the text is executed or sent as it is. */
export type Detail = { label: string; text: string; isCode?: true };

/** One of several reasons why a call needs approval. */
export type Reason = { rule: RuleId; reason: string };

export type Decision = { kind: 'allow' | 'deny' | 'ask'; rule: RuleId; reason: string };

/** A summary of the actions of a run. Lists are limited to `MAX_NAMED` entries; the counts are not limited. */
export type Receipt = {
  mode: Mode;
  calls: number;
  /** The number of executed calls, by effect. */
  effects: Partial<Record<Effect, number>>;
  /** The number of calls that were allowed without approval, by policy rule. */
  allowed: Partial<Record<RuleId, number>>;
  asked: number;
  /** The number of requested approvals that were granted. */
  approved: number;
  rejected: number;
  denied: number;
  /** The number of executed calls that failed and, in Agent mode, of calls of unknown tools. The field is missing in older logs. */
  failed?: number;
  /** The number of denied calls, by policy rule. */
  deniedBy: Partial<Record<RuleId, number>>;
  /** The rules files and memories that were added to the conversation. The field is missing if there are none, and in older logs. */
  rules?: string[];
  read: string[];
  readCount: number;
  changed: string[];
  changedCount: number;
  /** How often the conversation was compacted. The field is missing if it was not, and in older logs. */
  compactions?: number;
  /** The numbers of the plan steps that are done and changed none of their files. The field is missing if there are none, and in older logs. */
  unchangedSteps?: number[];
  commands: string[];
  commandCount: number;
  hosts: string[];
  hostCount: number;
  /** The MCP servers that were called. */
  servers: string[];
  /** Whether the run had any tool that can change something. The field is missing if this is unknown. */
  canWrite?: boolean;
};

/** The moments at which hooks run. */
export const HOOK_MOMENTS = ['before_tool', 'after_tool', 'before_prompt', 'question', 'run_end'] as const;
export type HookMoment = (typeof HOOK_MOMENTS)[number];

/**
 * A hook that had an effect, or failed. `denied`: it denied a call or the prompt. `asked`: the call needs approval because of it. `added`:
 * the model gets its text. `skipped`: it was not run. `text` is its reason, its text or the problem. `callId` is set for hooks of calls.
 */
export type HookRan = {
  type: 'hook_ran';
  hook: string;
  source: 'user' | 'workspace';
  moment: HookMoment;
  outcome: 'denied' | 'asked' | 'added' | 'notified' | 'failed' | 'skipped';
  text: string;
  callId?: string;
};
