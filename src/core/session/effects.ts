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
  /** For undo, set when the change is staged: the mode of a deleted file, and the directories that a new file creates, outermost first. */
  mode?: number;
  made?: string[];
};

/**
 * The user's decision on one proposed file: refuse it, leave out some hunks (by index, from 0), or replace it by an edited content (by
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

/** A tool of an MCP server. `server` is the name in the settings. `tool` and `description` come from the server. */
export type ServerTool = { server: string; tool: string; description: string };

export type Decision = { kind: 'allow' | 'deny' | 'ask'; rule: RuleId; reason: string };
