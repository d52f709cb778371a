/** What a yes may stand for beyond the one call that was asked about. */
export type Permission =
  /** Edits of files in this workspace, but for what asks whatever was granted. */
  | { kind: 'edits' }
  /** Edits by one tool, below a folder or of a file. */
  | { kind: 'path'; tool: string; glob: string }
  /**
   * Commands that begin with these words, and run the code of these folders; what is below them counts, but for projects of their own.
   * Where none is named, the top of the workspace is meant. Commands that only read are not bound to a folder.
   */
  | { kind: 'command'; prefix: string[]; folders?: string[] }
  /** Requests to a host; `private` where it is this computer or in a private network. */
  | { kind: 'host'; host: string; private?: true }
  /** One tool of an MCP server, while the server's tools are described as they were. */
  | { kind: 'mcp'; server: string; tool: string; fingerprint?: string };

/** `turn`: for the calls of one answer of the model. `workspace`: for good, in this workspace. */
export const GRANT_SCOPES = ['turn', 'run', 'session', 'workspace'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** A grant as the state of a session keeps it; those for the whole workspace are the host's. */
export type Grant = { scope: Exclude<GrantScope, 'workspace'>; covers: Permission; runId: string; callIds?: string[] };

/** As a part of a sentence: "edits in this workspace". */
export function permissionText(covers: Permission): string {
  switch (covers.kind) {
    case 'edits':
      return 'edits in this workspace';
    case 'path':
      return `${EDITS[covers.tool] ?? covers.tool} in ${covers.glob}`;
    case 'command':
      return `commands that begin with ${covers.prefix.join(' ')}${inFolders(covers.folders)}`;
    case 'host':
      return `requests to ${covers.host}`;
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

/** Which grants count for a call of this run, without those that the host keeps. */
export function grantsFor(grants: readonly Grant[], runId: string, callId: string): Permission[] {
  return grants
    .filter(({ scope, runId: of, callIds }) => scope === 'session' || (of === runId && (scope === 'run' || callIds?.includes(callId))))
    .map(({ covers }) => covers);
}

export function isSamePermission(a: Permission, b: Permission): boolean {
  return keyOf(a) === keyOf(b);
}

function keyOf(covers: Permission): string {
  return JSON.stringify(Object.entries(covers).sort(([a], [b]) => (a < b ? -1 : 1)));
}
