/** Fills in the variables of a prompt file. What is filled in is data: variables in it are not filled in again. */
import { visibleText } from '../../core/words/visible-text.ts';
import type { Location } from '../../workspace/types.ts';

/** A value that the prompt needs, as the user is asked for it. */
export type Needed = { key: string; label: string; placeholder?: string };

/** The file and the selection that the active editor of the host shows. */
export type EditorValues = { at?: Location; selection?: string };

const NAMES = 'selection|selectedText|fileBasenameNoExtension|fileBasename|fileDirname|file|workspaceFolderBasename|workspaceFolder';
const VARIABLE = new RegExp(`\\$\\{(?:input:([\\w-]{1,64})(?::([^{}\\n]{0,200}))?|(${NAMES}))\\}`, 'g');
/** The maximum length of a prompt with all values, in characters. */
export const MAX_EXPANDED = 100_000;

/** The expanded prompt would be too long. */
export class TooLong extends Error {
  override name = 'TooLong';
}

/** Returns what the prompt needs, each once. Every variable about the file needs only `file`. */
export function neededBy(body: string): Needed[] {
  const needed = new Map<string, Needed>();
  for (const [, input, placeholder, name] of body.matchAll(VARIABLE)) {
    const key = input ?? keyOf(name as string);
    if (key === undefined) continue;
    const known = needed.get(key);
    if (known?.placeholder || (known && !placeholder)) continue;
    needed.set(key, { key, label: key, ...(placeholder?.trim() && { placeholder: placeholder.trim() }) });
  }
  return [...needed.values()];
}

/** Returns the value that a variable is computed from, or undefined if it needs none. */
function keyOf(name: string): string | undefined {
  if (name.startsWith('workspace')) return undefined;
  return name.startsWith('file') ? 'file' : 'selection';
}

/** `folder` is the name of the workspace folder. @throws TooLong */
export function expanded(body: string, values: ReadonlyMap<string, string>, folder: string): string {
  let length = body.length;
  for (const [, input, , name] of body.matchAll(VARIABLE)) {
    length += textFor(input, name, values, folder).length;
    if (length > MAX_EXPANDED) throw new TooLong(`The prompt would be longer than ${MAX_EXPANDED.toLocaleString('en')} characters.`);
  }
  return visibleText(body.replace(VARIABLE, (_, input, __, name) => textFor(input, name, values, folder)));
}

function textFor(input: string | undefined, name: string | undefined, values: ReadonlyMap<string, string>, folder: string): string {
  if (input !== undefined) return values.get(input) ?? '';
  const file = values.get('file') ?? '';
  const base = file.slice(file.lastIndexOf('/') + 1);
  switch (name) {
    case 'file':
      return file;
    case 'fileBasename':
      return base;
    case 'fileBasenameNoExtension':
      return base.replace(/(?<=.)\.[^.]*$/, '');
    case 'fileDirname':
      return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
    case 'workspaceFolder':
      return '.';
    case 'workspaceFolderBasename':
      return folder;
    default:
      return values.get('selection') ?? '';
  }
}

/**
 * Reads what the user wrote after the name of a prompt: values such as `name=value` or `name="several words"` for `keys`, and other words.
 * If only one value is needed and it has no name, all words are this value.
 */
export function argumentsIn(text: string, keys: readonly string[]): { values: Map<string, string>; words: string } {
  const values = new Map<string, string>();
  const words = text
    .replace(
      /(?<!\S)([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g,
      (whole, key: string, quoted: string | undefined, plain: string | undefined) => {
        if (!keys.includes(key) || values.has(key)) return whole;
        values.set(key, quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/gs, '$1'));
        return '';
      },
    )
    .trim();
  const [only] = keys;
  if (keys.length === 1 && only !== undefined && words !== '' && values.size === 0) return { values: new Map([[only, words]]), words: '' };
  return { values, words };
}
