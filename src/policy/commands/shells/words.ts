/** Converts syntax nodes to words as the program will receive them. */

import type { Word } from '../types.ts';
import type { Shell, ShellNode } from './syntax.ts';

/**
 * `value` is undefined if it is only known at run time. `letters` is the same text with each quoted character replaced by `Q`, so that only
 * unquoted characters are examined as syntax.
 */
type Piece = { value: string | undefined; letters: string };

const UNKNOWN: Piece = { value: undefined, letters: '' };

/** Special variables that always expand to a number. */
const NUMBERS = new Set(['$?', '$#', '$$', '$!']);

/**
 * Characters that a shell would read as an operator, comment or expansion. If an unquoted word contains one, grammar and shell may
 * disagree, so the value is treated as unknown.
 */
const NOT_IN_WORDS = /^#|[;&|<>()`$"'\s]/;
const GLOB = /[*?[]/;

export function wordOf(node: ShellNode, shell: Shell): Word {
  const { value, letters } = pieceOf(node, shell);
  const isKnown = value !== undefined && !NOT_IN_WORDS.test(letters) && !hasBraces(letters);
  return { source: node.text, value: isKnown ? value : undefined, glob: isKnown && GLOB.test(letters) };
}

/** `{a,b}` and `{1..9}` expand to several words, which may include options. */
function hasBraces(letters: string): boolean {
  const begin = letters.indexOf('{');
  return begin >= 0 && /,|\.\./.test(letters.slice(begin)) && letters.includes('}');
}

function pieceOf(node: ShellNode, shell: Shell): Piece {
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'special_variable_name':
    case 'file_descriptor':
      return node.children.some(({ isNamed }) => isNamed) ? UNKNOWN : plain(node.text);
    case 'raw_string':
      return /^'[^']*'$/.test(node.text) ? quoted(node.text.slice(1, -1)) : UNKNOWN;
    case 'string':
      return doubleQuoted(node);
    case 'ansi_c_string':
      return shell === 'bash' ? ansiQuoted(node.text) : UNKNOWN;
    case 'simple_expansion':
      return NUMBERS.has(node.text) ? quoted('0') : UNKNOWN;
    case 'command_name':
    case 'concatenation':
      return joined(node, shell);
    default:
      return UNKNOWN;
  }
}

function joined(node: ShellNode, shell: Shell): Piece {
  let at = node.start;
  let [value, letters] = ['', ''];
  for (const child of node.children) {
    // The shell would read pieces with a gap between them as two words.
    const piece = child.start === at ? pieceOf(child, shell) : UNKNOWN;
    if (piece.value === undefined) return UNKNOWN;
    value += piece.value;
    letters += piece.letters;
    at = child.end;
  }
  return at === node.end && node.children.length > 0 ? { value, letters } : UNKNOWN;
}

function quoted(value: string): Piece {
  return { value, letters: 'Q'.repeat(value.length) };
}

function plain(text: string): Piece {
  // A backslash at the very end would escape the character that follows the word.
  const isWhole = /^(?:[^\\]|\\[\s\S])*$/.test(text);
  return isWhole ? { value: text.replace(/\\([\s\S])/g, '$1'), letters: text.replace(/\\[\s\S]/g, 'Q') } : UNKNOWN;
}

function doubleQuoted(node: ShellNode): Piece {
  if (!/^"(?:[^"\\]|\\[\s\S])*"$/.test(node.text)) return UNKNOWN;
  const expansions = node.children.filter(({ isNamed, type }) => isNamed && type !== 'string_content');
  let text = node.text;
  for (const expansion of expansions.toReversed()) {
    if (!NUMBERS.has(expansion.text)) return UNKNOWN;
    text = `${text.slice(0, expansion.start - node.start)}0${text.slice(expansion.end - node.start)}`;
  }
  const inner = text.slice(1, -1);
  if (/`|\$[\w({@*#?$!'"[-]/.test(inner.replace(/\\[\s\S]/g, '  '))) return UNKNOWN;
  return quoted(inner.replace(/\\([$`"\\])/g, '$1').replace(/\\\n/g, ''));
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', v: '\v' };

function ansiQuoted(text: string): Piece {
  const inner = /^\$'((?:[^'\\]|\\[\s\S])*)'$/.exec(text)?.[1];
  if (inner === undefined) return UNKNOWN;
  const value = inner.replace(/\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|[0-7]{1,3}|c[\s\S]?|[\s\S])/g, (_, code: string) => {
    if (/^x./.test(code)) return byteOf(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return byteOf(Number.parseInt(code, 8) & 255);
    if (/^[uU]./.test(code)) return codePoint(Number.parseInt(code.slice(1), 16));
    if (code.startsWith('c')) return NEEDLESS;
    return ESCAPES[code] ?? ('\'"\\?'.includes(code) ? code : `\\${code}`);
  });
  return quoted(value);
}

/**
 * Stands for characters that have no good reason to be written as an escape. A control character in a word makes its command need an
 * approval.
 */
const NEEDLESS = '\0';

/** Bytes above ASCII form a character only together with adjacent bytes. */
function byteOf(code: number): string {
  return code < 0x80 ? String.fromCharCode(code) : NEEDLESS;
}

/** A number beyond the Unicode range is not a character. */
function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : NEEDLESS;
}
