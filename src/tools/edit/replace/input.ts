/**
 * Corrects arguments that models send to replace_in_file instead of what its schema asks for: the argument names of other tools, a single
 * edit without a list, a list as a JSON string.
 */
const NAMES: Readonly<Record<string, string>> = {
  file_path: 'path',
  filePath: 'path',
  old_string: 'old_text',
  old_str: 'old_text',
  oldText: 'old_text',
  oldString: 'old_text',
  search: 'old_text',
  new_string: 'new_text',
  new_str: 'new_text',
  newText: 'new_text',
  newString: 'new_text',
  replace: 'new_text',
  replace_all: 'all',
  replaceAll: 'all',
};

export function repairReplaceInput(input: unknown): unknown {
  const { old_text, new_text, all, edits, ...rest } = renameArguments(input) as Record<string, unknown>;
  if (edits === undefined && old_text !== undefined) return { ...rest, edits: [{ old_text, new_text, all }] };
  const list = typeof edits === 'string' ? parseJson(edits) : edits;
  return { ...rest, edits: Array.isArray(list) ? list.map(renameArguments) : typeof list === 'object' ? [renameArguments(list)] : list };
}

/** Drops null values, which mean that the argument is missing. A name of the schema takes precedence over an alias for it. */
function renameArguments(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input ?? {};
  const entries = Object.entries(input).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(entries.map(([key, value]) => [NAMES[key] ?? key, value])),
    ...Object.fromEntries(entries.filter(([key]) => !(key in NAMES))),
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
