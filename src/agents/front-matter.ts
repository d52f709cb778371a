/**
 * Reads the front matter of the Markdown files that users and workspaces write: agents, prompts and skills. The files are data of unknown
 * origin, so size, depth and number of fields are limited, and no alias or tag is resolved.
 */
import { load, YAMLException } from 'js-yaml';
import { splitFrontMatter } from '../core/front-matter.ts';
import { visibleLine, visibleText } from '../core/words/visible-text.ts';

/** The maximum size of a file, in characters. */
export const MAX_CHARACTERS = 64_000;
const MAX_HEAD = 16_000;
const MAX_DEPTH = 6;
const MAX_FIELDS = 50;
const MAX_ITEMS = 200;

/** `body` is the text after the front matter, with invisible characters marked. */
export type FrontMatter = { fields: Fields; body: string };
/** The fields by name. The names have the case of the file. */
export type Fields = ReadonlyMap<string, unknown>;
/** A sentence for the user, which begins with the line if it is known. */
export type Unreadable = { problem: string };

/** Never throws. A file without front matter has no fields. */
export function readFrontMatter(text: string): FrontMatter | Unreadable {
  if (text.length > MAX_CHARACTERS) return { problem: `The file is longer than ${MAX_CHARACTERS} characters.` };
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const { head, body } = splitFrontMatter(plain);
  if (!head) {
    if (/^---[ \t]*\n/.test(plain)) return { problem: 'Line 1: the front matter has no closing line `---`.' };
    return { fields: new Map(), body: visibleText(body) };
  }
  const yaml = head.join('\n');
  if (yaml.length > MAX_HEAD) return { problem: `The front matter is longer than ${MAX_HEAD} characters.` };
  if (head.every((line) => line.trim() === '' || line.startsWith('#'))) return { fields: new Map(), body: visibleText(body) };
  let value: unknown;
  try {
    value = parsed(yaml);
  } catch (error) {
    return { problem: problemOf(error) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'Line 2: the front matter must consist of lines `name: value`.' };
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return { problem: `The front matter has more than ${MAX_FIELDS} fields.` };
  return { fields: new Map(entries), body: visibleText(body) };
}

/** Returns the text of a field on one line, with invisible characters marked, or undefined if there is none. */
export function lineIn(fields: Fields, name: string, maxCharacters: number): string | undefined {
  const value = fields.get(name);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const line = visibleLine(String(value).trim().replace(/\s+/g, ' '));
  if (line === '') return undefined;
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 2).toWellFormed()} …` : line;
}

/**
 * Returns the items of a field, which is a list, or one text with commas. Returns undefined if the field is missing, and `'invalid'` if it
 * is anything else, so that no file gets more than it asks for by asking for it in a wrong form.
 */
export function listIn(fields: Fields, name: string): string[] | 'invalid' | undefined {
  const value = fields.get(name);
  if (value === undefined) return undefined;
  const items = typeof value === 'string' ? splitAtCommas(value) : value;
  if (!Array.isArray(items) || items.length > MAX_ITEMS || !items.every((item) => typeof item === 'string')) return 'invalid';
  return items.map((item) => visibleLine(item.trim())).filter((item) => item !== '');
}

/** Splits at commas that are not in parentheses: `Bash(git add, git commit)` is one item. */
function splitAtCommas(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    if (letter === ')') depth = Math.max(0, depth - 1);
    if (letter === ',' && depth === 0) items.push('');
    else items[items.length - 1] += letter;
  }
  return items;
}

/** Many files of other assistants contain unquoted sentences with colons, which are not valid YAML. They are read like quoted sentences. */
function parsed(yaml: string): unknown {
  try {
    return loaded(yaml);
  } catch (error) {
    const quoted = yaml.replace(
      /^(description|argument-hint):[ \t]+(?!["'|>&*!])(.*)$/gm,
      (_, name: string, rest: string) => `${name}: ${JSON.stringify(rest.trim())}`,
    );
    if (quoted === yaml) throw error;
    try {
      return loaded(quoted);
    } catch {
      throw error;
    }
  }
}

function loaded(yaml: string): unknown {
  return load(yaml, { maxAliases: 0, maxDepth: MAX_DEPTH, maxTotalMergeKeys: 0 });
}

/** The first line of a file is line 1, and the front matter begins on line 2. The parser counts from 0. */
function problemOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'The front matter is not valid YAML.';
  const { reason, mark } = error;
  return `${mark ? `Line ${mark.line + 2}: ` : ''}the front matter is not valid YAML: ${visibleLine(reason)}.`.replace(/^t/, 'T');
}
