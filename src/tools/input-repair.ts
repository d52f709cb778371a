/** Corrects tool arguments that do not fit the schema, if their meaning is unambiguous. */
import * as z from 'zod';
import { jsonIn } from '../core/json.ts';

/** Maps argument names of the schemas to the names that tools of other programs use for them. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'file'],
  content: ['contents', 'file_text', 'text'],
  old_text: ['old_string', 'old_str', 'oldText', 'oldString', 'search'],
  new_text: ['new_string', 'new_str', 'newText', 'newString', 'replace'],
  all: ['replace_all', 'replaceAll'],
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

/** The maximum depth to which nulls are searched. No tool schema is nested more deeply. */
const MAX_DEPTH = 6;

/** Removes fields that are null, at any depth, because models send null for a field that they omit. */
export function withoutNulls(input: unknown, depth = MAX_DEPTH): unknown {
  if (depth === 0 || typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input)) return input.map((each) => withoutNulls(each, depth - 1));
  const entries = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value, depth - 1)]));
}

/**
 * Renames arguments to the names in the schema, including arguments in lists of objects. An argument whose name is in the schema is never renamed.
 */
export function renameArguments(input: unknown, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional) return renameArguments(input, schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray && Array.isArray(input)) return input.map((each) => renameArguments(each, schema.element as z.ZodType));
  if (!(schema instanceof z.ZodObject) || typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const own = input as Record<string, unknown>;
  const keys = Object.keys(schema.shape);
  const named = keys.flatMap((key) => {
    const other = OTHER_NAMES[key]?.find((name) => !keys.includes(name) && own[name] !== undefined);
    const value = own[key] ?? (other && own[other]);
    return value === undefined ? [] : [[key, renameArguments(value, schema.shape[key])]];
  });
  return { ...own, ...Object.fromEntries(named) };
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
  if (expected === 'array') {
    const list = typeof value === 'string' ? (jsonIn(value) ?? value) : value;
    holder[key] = typeof list === 'string' || Array.isArray(list) ? list : [list];
  } else if (typeof value === 'string' && /^(boolean|number|int)$/.test(expected))
    holder[key] = jsonIn(value.trim().toLowerCase()) ?? value;
}
