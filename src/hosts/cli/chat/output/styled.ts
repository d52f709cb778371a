/** Text with the styles of `paintFor`: its width on a terminal, its lines, and what makes it safe to write. */
import { eastAsianWidth } from 'get-east-asian-width';
import { harmless } from '../../output/terminal.ts';

/** The sequences that `paintFor` writes. */
const STYLE = new RegExp(`(${'\u001b'}\\[(?:1|2|3|22|23|31|32|36|39)m)`);
const TAB = '    ';
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** Returns the text with every control, bidirectional and invisible character made visible, except line feeds. */
export function plain(text: string): string {
  return harmless(text).replaceAll('\t', TAB);
}

/**
 * Does the same, except for the styles of `paintFor`. All text that is written to the terminal passes through here or through `plain`, so that
 * nothing in it can control the terminal.
 */
export function safe(text: string): string {
  return text
    .split(STYLE)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('');
}

/** Returns the text without its styles. */
export function unstyled(text: string): string {
  return text
    .split(STYLE)
    .filter((_, index) => index % 2 === 0)
    .join('');
}

/** Returns the number of columns. The parts of a joined emoji are counted one by one, because some terminals do not join them. */
export function widthOf(text: string): number {
  let width = 0;
  for (const part of text.split(STYLE)) if (!part.startsWith('\u001b')) for (const char of part) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  const point = char.codePointAt(0) as number;
  if (point < 0x300) return point < 0x20 ? 0 : 1;
  if (ZERO_WIDTH.test(char)) return 0;
  return eastAsianWidth(point);
}

/**
 * Breaks lines that are wider than `columns`, at spaces if there are any. Each further line begins with `indent`. Styles continue in the
 * next line.
 */
export function wrap(text: string, columns: number, indent = ''): string[] {
  return text.split('\n').flatMap((line) => (widthOf(line) <= columns ? [line] : wrapLine(line, Math.max(columns, 2), indent)));
}

function wrapLine(line: string, columns: number, indent: string): string[] {
  const lines: string[] = [];
  const room = columns > indent.length + 8 ? indent : '';
  const styles: string[] = [];
  let current = '';
  let width = 0;
  /** The position and width of `current` after its last space. */
  let space: { at: number; width: number; styles: string[] } | undefined;
  const begin = (rest: string, restWidth: number, open: readonly string[]) => {
    current = `${room}${open.join('')}${rest}`;
    width = room.length + restWidth;
    space = undefined;
  };
  const isOnlyIndent = (text: string) => text.split(STYLE).every((part) => part.startsWith('\u001b') || part.trim() === '');
  for (const part of line.split(STYLE)) {
    if (part.startsWith('\u001b')) {
      current += part;
      trackStyle(styles, part);
      continue;
    }
    for (const char of part) {
      const more = charWidth(char);
      if (width + more > columns && char === ' ') {
        lines.push(ended(current, styles));
        begin('', 0, styles);
        continue;
      }
      if (width + more > columns) {
        if (space && !isOnlyIndent(current.slice(0, space.at))) {
          const rest = current.slice(space.at);
          lines.push(ended(current.slice(0, space.at).trimEnd(), space.styles));
          begin(rest, width - space.width, space.styles);
        } else {
          lines.push(ended(current, styles));
          begin('', 0, styles);
        }
      }
      current += char;
      width += more;
      if (char === ' ') space = { at: current.length, width, styles: [...styles] };
    }
  }
  lines.push(current);
  return lines;
}

const OFF: Readonly<Record<string, string>> = { '1': '22', '2': '22', '3': '23', '31': '39', '32': '39', '36': '39' };
const codeOf = (style: string) => style.slice(2, -1);

/** Adds a style to those that are on, or removes those that it turns off. */
function trackStyle(styles: string[], style: string): void {
  const code = codeOf(style);
  if (OFF[code]) styles.push(style);
  else styles.splice(0, styles.length, ...styles.filter((each) => OFF[codeOf(each)] !== code));
}

function ended(line: string, styles: readonly string[]): string {
  return `${line}${[...new Set(styles.map((style) => `\u001b[${OFF[codeOf(style)]}m`))].join('')}`;
}

/** Cuts a line to this number of columns. */
export function cut(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const styles: string[] = [];
  let out = '';
  let width = 0;
  for (const part of line.split(STYLE)) {
    if (part.startsWith('\u001b')) {
      trackStyle(styles, part);
      out += part;
      continue;
    }
    for (const char of part) {
      width += charWidth(char);
      if (width > columns - 1) return ended(`${out}…`, styles);
      out += char;
    }
  }
  return out;
}
