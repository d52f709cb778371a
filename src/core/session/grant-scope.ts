import { isWithin } from './children/child-ids.ts';

/** A permission that a user can grant for more than the call that needs approval. */
export type Permission =
  /**
   * Edits of all files in this workspace, except those that always need approval. In the run of a plan, edits of files that the step
   * does not name also require `beyondPlan`.
   */
  | { kind: 'edits'; beyondPlan?: true }
  /** Edits by one tool, of one file or below a folder. */
  | { kind: 'path'; tool: string; glob: string; beyondPlan?: true }
  /**
   * Commands that begin with the words in `prefix` and run the code of the folders in `folders`. Subfolders are included unless they are
   * projects of their own. Without `folders`, the permission applies to the workspace folder. Read-only commands are not bound to a folder.
   */
  | { kind: 'command'; prefix: string[]; folders?: string[] }
  /**
   * Requests to a host. `private` is true for this computer and private networks. Pages in a browser can be clicked and typed in, so they
   * need a permission of their own, with `tool`.
   */
  | { kind: 'host'; host: string; private?: true; tool?: 'browse' }
  /** One tool of an MCP server, as long as the server does not change the description of any tool. */
  | { kind: 'mcp'; server: string; tool: string; fingerprint?: string };

/** The kinds of calls, for rules and permissions. Tools of MCP servers are a separate kind, because it is unknown what they do. */
export const ACTIONS = ['read', 'edit', 'delete', 'command', 'network', 'mcp'] as const;
export type Action = (typeof ACTIONS)[number];

/** A group of calls that the user decides about together: all calls of a kind, or all tools of an MCP server. */
export type Subject = { action: Action } | { server: string };

/** The user's decision about a subject in one session. It overrides permissions, and rules that allow a call. */
export type SessionRule = { about: Subject; effect: 'ask' | 'deny' };

/** `turn` covers the calls of one model answer. `workspace` does not expire. */
export const GRANT_SCOPES = ['turn', 'run', 'session', 'workspace'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** Edits outside the plan can be allowed for the run of that plan, but not for other plans. */
export function canGrant(covers: Permission, scope: GrantScope): boolean {
  return !('beyondPlan' in covers) || scope === 'turn' || scope === 'run';
}

/** A grant in the state of a session. Grants for the workspace are not included, because the host stores them. */
export type Grant = { scope: Exclude<GrantScope, 'workspace'>; covers: Permission; runId: string; callIds?: string[] };

/** Describes a permission as a part of a sentence: "edits in this workspace". */
export function permissionText(covers: Permission): string {
  switch (covers.kind) {
    case 'edits':
      return covers.beyondPlan ? 'edits outside the plan' : 'edits in this workspace';
    case 'path':
      return `${EDITS[covers.tool] ?? covers.tool} in ${covers.glob}${covers.beyondPlan ? ', outside the plan' : ''}`;
    case 'command':
      return `commands that begin with ${covers.prefix.join(' ')}${inFolders(covers.folders)}`;
    case 'host':
      return `${covers.tool ? 'use of' : 'requests to'} ${covers.host}${covers.tool ? ' in the browser' : ''}`;
    case 'mcp':
      return `${covers.tool.slice(covers.tool.indexOf('__') + 1).replace(/^_/, '')} of the MCP server ${covers.server}`;
  }
}

function inFolders(folders: readonly string[] = []): string {
  return folders.length === 0 ? '' : ` in ${folders.map((folder) => (folder === '.' ? 'the top folder' : folder)).join(' and ')}`;
}

const EDITS: Record<string, string | undefined> = {
  create_file: 'new files',
  create_directory: 'new folders',
  replace_in_file: 'edits by replacement',
  apply_patch: 'edits by patch',
  rename_symbol: 'renames of symbols',
  move_file: 'moves of files',
  delete_file: 'deletions of files',
};

/** Returns the permissions of the session that apply to a call. What was granted for a run also applies to its child runs. */
export function grantsFor(grants: readonly Grant[], runId: string, callId: string): Permission[] {
  return grants
    .filter(({ scope, runId: of, callIds }) => {
      if (scope === 'run') return isWithin(runId, of);
      return scope === 'session' || (of === runId && callIds?.includes(callId));
    })
    .map(({ covers }) => covers);
}

export function isSameSubject(a: Subject, b: Subject): boolean {
  return 'action' in a ? 'action' in b && a.action === b.action : 'server' in b && a.server === b.server;
}

export function isSamePermission(a: Permission, b: Permission): boolean {
  return permissionKey(a) === permissionKey(b);
}

/** Returns the same text for the same permission, regardless of the order of its fields. */
export function permissionKey(covers: Permission): string {
  return JSON.stringify(Object.entries(covers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Removes the other entries of a list. The list stays the same object, because child runs share it. */
export function keepOnly<Entry>(list: Entry[], keep: (entry: Entry) => boolean): void {
  list.splice(0, list.length, ...list.filter(keep));
}
