/** The names with which agent files name tools. */
import { CATEGORIES, CATEGORY_OF } from './categories.ts';

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
  browser: ['browse'],
  openbrowser: ['browse'],
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
