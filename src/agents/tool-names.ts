/** The names with which agent files name tools, and the categories of Kedge's tools. */

/** `conversation` is not for files: these tools change nothing, and a run needs them to talk to the user and to follow a plan. */
export const CATEGORIES = ['read', 'search', 'edit', 'commands', 'web', 'documents', 'memory', 'agents', 'mcp'] as const;
export type Category = (typeof CATEGORIES)[number] | 'conversation';

export const CATEGORY_OF: Readonly<Record<string, Category>> = {
  __proto__: null as never,
  ask_user: 'conversation',
  propose_plan: 'conversation',
  update_step: 'conversation',
  recall: 'conversation',
  todo: 'conversation',
  read_file: 'read',
  list_directory: 'read',
  get_diagnostics: 'read',
  document_symbols: 'read',
  read_changes: 'read',
  calculate: 'read',
  find_files: 'search',
  search_text: 'search',
  workspace_symbols: 'search',
  go_to_definition: 'search',
  find_references: 'search',
  create_file: 'edit',
  replace_in_file: 'edit',
  apply_patch: 'edit',
  create_directory: 'edit',
  move_file: 'edit',
  delete_file: 'edit',
  rename_symbol: 'edit',
  run_command: 'commands',
  command_output: 'commands',
  fetch_url: 'web',
  documents_list_collections: 'documents',
  documents_list_documents: 'documents',
  documents_search: 'documents',
  documents_get_document: 'documents',
  documents_get_outline: 'documents',
  documents_get_section: 'documents',
  remember: 'memory',
  delegate: 'agents',
};

/** A model has one of these tools, depending on how it was trained, so naming one of them means the one that it has. */
const EDIT_TOOLS = ['replace_in_file', 'apply_patch'];

/** The names of the tools of other assistants, in lower case unless case distinguishes them, and what they correspond to here. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  // Claude Code
  Read: ['read_file'],
  Write: ['create_file', ...EDIT_TOOLS],
  Edit: EDIT_TOOLS,
  MultiEdit: EDIT_TOOLS,
  Glob: ['find_files'],
  Grep: ['search_text'],
  LS: ['list_directory'],
  Bash: ['commands'],
  BashOutput: ['command_output'],
  WebFetch: ['fetch_url'],
  TodoWrite: ['todo'],
  Task: ['agents'],
  Agent: ['agents'],
  AskUserQuestion: ['ask_user'],
  // VS Code and GitHub Copilot
  execute: ['commands'],
  shell: ['commands'],
  terminal: ['commands'],
  runcommands: ['commands'],
  runinterminal: ['commands'],
  'execute/runinterminal': ['commands'],
  'execute/getterminaloutput': ['command_output'],
  editfiles: ['edit'],
  'edit/editfiles': ['edit'],
  'edit/createfile': ['create_file'],
  'edit/createdirectory': ['create_directory'],
  createfile: ['create_file'],
  createdirectory: ['create_directory'],
  codebase: ['search'],
  'search/codebase': ['search'],
  textsearch: ['search_text'],
  'search/textsearch': ['search_text'],
  filesearch: ['find_files'],
  'search/filesearch': ['find_files'],
  'search/listdirectory': ['list_directory'],
  listdirectory: ['list_directory'],
  usages: ['find_references', 'go_to_definition'],
  'search/usages': ['find_references', 'go_to_definition'],
  changes: ['read_changes'],
  'search/changes': ['read_changes'],
  readfile: ['read_file'],
  'read/readfile': ['read_file'],
  problems: ['get_diagnostics'],
  'read/problems': ['get_diagnostics'],
  fetch: ['fetch_url'],
  'web/fetch': ['fetch_url'],
  todos: ['todo'],
  agent: ['agents'],
  runsubagent: ['agents'],
};

/**
 * Returns what an entry of an agent file stands for, in the form of `RunAgent.tools`, `'all'` for a `*`, or undefined if Kedge has no such
 * tool.
 */
export function toolEntries(written: string): readonly string[] | 'all' | undefined {
  if (written === '*' || written === 'all') return 'all';
  const claude = /^mcp__([^_](?:[^_]|_(?!_))*)(?:__(.+))?$/.exec(written);
  if (claude?.[1]) return [serverEntry(claude[1], claude[2])];
  if (OTHERS[written]) return OTHERS[written];
  const lower = written.toLowerCase();
  if ((CATEGORIES as readonly string[]).includes(lower)) return [lower];
  if (EDIT_TOOLS.includes(lower)) return EDIT_TOOLS;
  if (CATEGORY_OF[lower]) return [lower];
  if (OTHERS[lower]) return OTHERS[lower];
  const server = /^server:([^/:*\s]+)(?:\/(.+))?$/.exec(written) ?? /^([^/:*\s]+)\/(.+)$/.exec(written);
  return server?.[1] ? [serverEntry(server[1], server[2])] : undefined;
}

function serverEntry(server: string, tool: string | undefined): string {
  return tool === undefined || tool === '*' ? `mcp:${server}` : `mcp:${server}/${tool}`;
}

/** Returns true if an entry names the server as a whole, or this tool of it. Without `tool`, any tool of the server. */
export function isOfServer(entry: string, server: string, tool: string | undefined): boolean {
  const own = `mcp:${server}`;
  if (entry === own) return true;
  return entry.startsWith(`${own}/`) && (tool === undefined || entry === `${own}/${tool}`);
}
