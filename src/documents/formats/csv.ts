/** Reads comma- and tab-separated values. Fields may be quoted and contain line breaks, as in RFC 4180. */
import type { Blocks } from './blocks.ts';
import { MAX_CELL_LENGTH, MAX_CELLS } from './limits.ts';
import { checkMemory } from './memory.ts';

type Row = { cells: string[]; line: number; endLine: number };

export function readCsv(text: string, extension: string, blocks: Blocks): void {
  const delimiter = extension === 'csv' ? likelyDelimiter(text) : '\t';
  const { rows, openedAt } = rowsOf(text, delimiter);
  if (openedAt !== undefined) blocks.note(`The quoted field that begins on line ${openedAt} is not closed.`);
  blocks.table(
    rows.map(({ cells }) => cells),
    (first, last) => ({ line: rows[first]?.line ?? 1, endLine: rows[last]?.endLine ?? 1, row: first + 1, endRow: last + 1 }),
  );
}

function rowsOf(text: string, delimiter: string): { rows: Row[]; openedAt: number | undefined } {
  const rows: Row[] = [];
  let row: Row = { cells: [], line: 1, endLine: 1 };
  let line = 1;
  let count = 0;
  let openedAt: number | undefined;
  let at = 0;
  // The text is read in one pass. Each iteration reads one field and the delimiter after it.
  while (at <= text.length && count <= MAX_CELLS) {
    checkMemory();
    let field = '';
    if (text[at] === '"') {
      const { value, end, isClosed } = quotedField(text, at);
      for (let index = text.indexOf('\n', at); index >= 0 && index < end; index = text.indexOf('\n', index + 1)) line++;
      if (!isClosed) openedAt ??= row.line;
      field = value;
      at = end;
    }
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
    row.cells.push((field + text.slice(at, end).trim()).slice(0, MAX_CELL_LENGTH));
    count++;
    at = end + 1;
    if (text[end] === delimiter) continue;
    if (text[end] === '\r' && text[end + 1] === '\n') at++;
    if (row.cells.some((cell) => cell !== '')) rows.push({ ...row, endLine: line });
    line++;
    row = { cells: [], line, endLine: line };
  }
  return { rows, openedAt };
}

function quotedField(text: string, start: number): { value: string; end: number; isClosed: boolean } {
  const pieces: string[] = [];
  let from = start + 1;
  let length = 0;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: [...pieces, text.slice(from, from + MAX_CELL_LENGTH)].join(''), end: text.length, isClosed: false };
    const isFull = length > MAX_CELL_LENGTH;
    length += quote - from + 1;
    if (!isFull) pieces.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') return { value: pieces.join(''), end: quote + 1, isClosed: true };
    if (!isFull) pieces.push('"');
    from = quote + 2;
  }
}

/** Returns the delimiter that is most frequent in the first lines. */
function likelyDelimiter(text: string): string {
  const start = text.slice(0, 10_000).split('\n').slice(0, 10).join('\n');
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: start.split(mark).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark;
}
