/** Converts syntax nodes to words as the program will receive them. */

import type { Word } from '../types.ts';
import type { Shell, ShellNode } from './syntax.ts';

/**
 * `value` is undefined if it is only known at run time. `letters` is the same text with each quoted character replaced by `Q`, so that only
 * unquoted characters are checked for syntax.
 */
type Piece = { value: string | undefined; letters: string };

const UNKNOWN: Piece = { value: undefined, letters: '' };

/** Special variables that always expand to a number. */
const NUMBERS = new Set(['$?', '$#', '$$', '$!']);

/**
 * Characters that a shell would read as an operator, comment or expansion. If an unquoted word contains one of them, the grammar and the
 * shell may disagree, so the value is treated as unknown.
 */
const NOT_IN_WORDS = /^#|[;&|<>()`$"'\s]/;
const GLOB = /[*?[]/;

export function wordOf(node: ShellNode, shell: Shell): Word {
  const { value, letters } = pieceOf(node, shell);
  const isKnown = value !== undefined && !NOT_IN_WORDS.test(letters) && !hasBraces(letters);
  return { source: node.text, value: isKnown ? value : undefined, glob: isKnown && GLOB.test(letters) };
}

/** Returns true if a word contains `{a,b}` or `{1..9}`, which expands to several words. These may be options. */
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
    // The shell would interpret pieces with a gap between them as two words.
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
  // A backslash at the end would escape the character after the word.
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
 * The replacement for characters that do not have to be written as an escape. It is a control character, and a command that contains one needs an
 * approval.
 */
const NEEDLESS = '\0';

/** Returns the character of an ASCII byte. Other bytes form a character only together with adjacent bytes. */
function byteOf(code: number): string {
  return code < 0x80 ? String.fromCharCode(code) : NEEDLESS;
}

/** Returns the character with this code point, or `NEEDLESS` for a number outside the Unicode range. */
function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : NEEDLESS;
}
