/** The text of the editor as rows of the screen, and the place of the caret in them. */
import { plain, widthOf } from '../output/styled.ts';

export type Rows = { lines: string[]; row: number; column: number };

const FIRST = '› ';
const REST = '  ';
const MAX_ROWS = 8;

export function rowsOf(text: string, caret: number, columns: number, first = FIRST): Rows {
  const room = Math.max(columns - REST.length, 4);
  const lines: string[] = [];
  let place = { row: 0, column: 0 };
  let from = 0;
  for (const line of text.split('\n')) {
    const inLine = caret - from;
    const caretAt = inLine >= 0 && inLine <= line.length ? plain(line.slice(0, inLine)).length : undefined;
    const start = lines.length;
    const shown = brokenAt(plain(line), room);
    if (caretAt !== undefined) place = caretPlace(shown, caretAt, start, room);
    lines.push(...shown);
    while (lines.length <= place.row) lines.push('');
    from += line.length + 1;
  }
  const top = Math.max(0, Math.min(place.row - Math.floor(MAX_ROWS / 2), lines.length - MAX_ROWS));
  const visible = lines.slice(top, top + MAX_ROWS).map((line, index) => `${index + top === 0 ? first : REST}${line}`);
  return { lines: visible, row: place.row - top, column: place.column + REST.length };
}

/** Breaks a line at the width of the screen, between any two characters. */
function brokenAt(line: string, room: number): string[] {
  const rows = [''];
  let width = 0;
  for (const char of line) {
    const more = widthOf(char);
    if (width + more > room) {
      rows.push('');
      width = 0;
    }
    rows[rows.length - 1] += char;
    width += more;
  }
  return rows;
}

/** At the end of a full row, the caret is at the beginning of the next one. */
function caretPlace(rows: readonly string[], caret: number, start: number, room: number): { row: number; column: number } {
  let left = caret;
  for (const [index, row] of rows.entries()) {
    if (left < row.length || (left === row.length && index === rows.length - 1)) {
      const column = widthOf(row.slice(0, left));
      return column >= room ? { row: start + index + 1, column: 0 } : { row: start + index, column };
    }
    left -= row.length;
  }
  return { row: start, column: 0 };
}
