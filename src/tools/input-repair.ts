/** Corrects tool arguments that do not fit the schema, if only one thing can be meant. */
import type * as z from 'zod';
import { jsonIn } from '../core/json.ts';

/** The names of these arguments in the tools of other programs. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'file'],
  content: ['contents', 'file_text', 'text'],
  from: ['source', 'old_path', 'from_path'],
  to: ['destination', 'new_path', 'to_path'],
  from_line: ['start_line', 'startLine', 'line_start'],
  to_line: ['end_line', 'endLine', 'line_end'],
  command: ['cmd'],
  cwd: ['workdir', 'working_directory'],
  background: ['is_background', 'run_in_background'],
  glob: ['pattern', 'include', 'include_pattern', 'file_pattern'],
  pattern: ['query', 'text'],
  regex: ['is_regex', 'isRegexp'],
  input: ['patch', 'patch_text', 'diff', 'command', 'cmd'],
};

/** Renames arguments to those of the schema, unless the input already has them. */
export function renameArguments(input: unknown, keys: readonly string[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const own = input as Record<string, unknown>;
  const missing = keys.filter((key) => own[key] === undefined || own[key] === null);
  const renamedEntries = missing.flatMap((key) => {
    const other = OTHER_NAMES[key]?.find((name) => !keys.includes(name) && own[name] !== undefined && own[name] !== null);
    return other === undefined ? [] : [[key, own[other]]];
  });
  return renamedEntries.length > 0 ? { ...own, ...Object.fromEntries(renamedEntries) } : input;
}

/** Merges a separate directory argument into the glob. */
export function withDirectory(input: unknown): unknown {
  const { path, ...rest } = (typeof input === 'object' && input ? input : {}) as Record<string, unknown>;
  if (typeof path !== 'string') return input;
  // An absolute path is kept, because it may be inside the workspace.
  const directory = path.trim().replace(/^\.\/|[\\/]$/g, '');
  if (directory === '' || directory === '.') return rest;
  if (typeof rest.glob !== 'string') return { ...rest, glob: directory };
  const within = rest.glob.replace(/^\.?\//, '');
  if (rest.glob.startsWith(`${directory}/`)) return rest;
  return within.startsWith(`${directory}/`) ? rest : { ...rest, glob: `${directory}/**/${within.replace(/^\*\*\//, '')}` };
}

/** Converts values to the types of the schema as the issues suggest. The result must be validated again. */
export function convertTypes(input: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const copy = structuredClone(input);
  for (const issue of issues) {
    const key = issue.path.at(-1);
    const holder = issue.path.slice(0, -1).reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)?.[step], copy);
    if (issue.code === 'invalid_type' && key !== undefined && typeof holder === 'object' && holder !== null)
      retype(holder as Record<PropertyKey, unknown>, key, issue.expected);
  }
  return copy;
}

function retype(holder: Record<PropertyKey, unknown>, key: PropertyKey, expected: string): void {
  const value = holder[key];
  if (value === null) delete holder[key];
  else if (expected === 'array') holder[key] = typeof value === 'string' ? (jsonIn(value) ?? value) : [value];
  else if (typeof value === 'string' && /^(boolean|number|int)$/.test(expected)) holder[key] = jsonIn(value.trim().toLowerCase()) ?? value;
}
