import { ToolError } from '../core/run/tool.ts';
import type { TextEdit } from './languages.ts';

/** @throws ToolError when the edits overlap or do not fit the text. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const bom = text.startsWith('\uFEFF') ? 1 : 0;
  const starts = [bom];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
  const offset = ({ line, column }: TextEdit['from']) => {
    const start = starts[line - 1];
    const next = starts[line] ?? text.length;
    if (start === undefined || start + column > next)
      throw new ToolError('The language service returned edits for another version of the file. Nothing was changed. Try again.');
    return start + column;
  };
  const places = edits.map((edit) => ({ from: offset(edit.from), to: offset(edit.to), text: edit.text })).sort((a, b) => a.from - b.from);
  let result = '';
  let at = 0;
  for (const place of places) {
    if (place.from < at || place.to < place.from)
      throw new ToolError('The language service returned overlapping edits. Nothing was changed. Edit each place separately.');
    result += text.slice(at, place.from) + place.text;
    at = place.to;
  }
  return result + text.slice(at);
}

/** Finds the smallest range of complete lines that differs. `text` replaces `before` between the offsets `from` and `to`. */
export function differingLines(before: string, after: string): { from: number; to: number; text: string } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  // `lastIndexOf` with a negative position would still match the first character.
  from = from === 0 ? 0 : before.lastIndexOf('\n', from - 1) + 1;
  let tail = 0;
  while (tail < shorter - from && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++;
  const lineEnd = before.indexOf('\n', before.length - tail);
  tail = lineEnd < 0 ? 0 : before.length - lineEnd - 1;
  return { from, to: before.length - tail, text: after.slice(from, after.length - tail) };
}
