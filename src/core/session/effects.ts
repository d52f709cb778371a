import type { RuleId } from './rule-ids.ts';
/** What a tool call does, as data: events, approvals and the policy name it so. */

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

export type Decision = { kind: 'allow' | 'deny' | 'ask'; rule: RuleId; reason: string };
