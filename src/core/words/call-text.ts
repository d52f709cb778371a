/** Describes a tool call by its name and input, before the tool has prepared it. */

import { visibleLine } from './visible-text.ts';

const MAX_TARGET = 120;

const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  list_directory: 'List',
  find_files: 'Find',
  search_text: 'Search',
  create_file: 'Create',
  create_directory: 'Create the folder',
  replace_in_file: 'Edit',
  apply_patch: 'Edit',
  move_file: 'Move',
  delete_file: 'Delete',
  run_command: 'Run',
  fetch_url: 'Fetch',
  ask_user: 'Ask',
  get_diagnostics: 'Check',
  propose_plan: 'Propose a plan:',
};

/** Returns for example "Edit src/tide.ts". The name of a tool that is not built in is displayed unchanged. */
export function callText(name: string, input: unknown): string {
  const verb = (Object.hasOwn(VERBS, name) && VERBS[name]) || visibleLine(name);
  const target = targetOf(name, (input ?? {}) as Record<string, unknown>);
  return target ? `${verb} ${target.length > MAX_TARGET ? `${target.slice(0, MAX_TARGET)}…` : target}` : verb;
}

const FIELDS = ['path', 'command', 'url', 'pattern', 'glob', 'query', 'symbol', 'question', 'goal', 'id'];

function targetOf(name: string, input: Record<string, unknown>): string {
  const text = (field: string) => (typeof input[field] === 'string' ? visibleLine(input[field] as string).trim() : '');
  if (name === 'update_step') return [input.step, text('status')].filter(Boolean).join(' ');
  if (text('from') && text('to')) return `${text('from')} to ${text('to')}`;
  if (name === 'apply_patch') {
    const files = text('input') && [...String(input.input).matchAll(/^(?:\*\*\* \w+ File: |\+\+\+ b\/)(.+)$/gm)].map(([, path]) => path);
    return files ? visibleLine([...new Set(files)].join(', ')) : '';
  }
  return FIELDS.map(text).find(Boolean) ?? '';
}
