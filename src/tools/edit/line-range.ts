/** Replaces lines of a file. */

/** A range of `removes` lines of a file, beginning at `line`, which counts from 1. `line` may be one after the last line. */
export type LineRange = { line: number; removes: number };

export function wholeFile(text: string): LineRange {
  return { line: 1, removes: text === '' ? 0 : linesOf(text).length };
}

/** Returns the lines without their line breaks. A line break at the end of the text does not begin another line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the text with the lines replaced by `code`, with the line endings of the file. */
export function withLines(text: string, { line, removes }: LineRange, code: string): string {
  const end = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
  const from = starts[line - 1] ?? text.length;
  const to = starts[line - 1 + removes] ?? text.length;
  const mark = from === 0 && text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const before = text.slice(0, from);
  const gap = before !== '' && !/[\r\n]$/.test(before) ? end : '';
  const own = linesOf(code).join(end);
  // The file keeps its final line break, or the lack of one.
  const isLast = to >= text.length;
  const endsWithBreak = !isLast || text === '' || /[\r\n]$/.test(text);
  return before + mark + gap + own + (endsWithBreak ? end : '') + text.slice(to);
}
