/** Renders the blocks of a document as text, in pieces that are small enough for a chunk. */
import { tokensOfText } from '../../core/context/tokens.ts';
import type { Block, Place } from '../document.ts';

/** The size of chunks in estimated tokens. Code and tables are kept whole up to a larger size. */
export const TARGET = 400;
const WHOLE = 800;
/** The longest title, in characters. Each chunk below a heading repeats its title. */
const MAX_TITLE = 200;

/**
 * A part of the text of a document. `lead` is repeated before the text where it is shown alone: the head of a table whose rows are in
 * several pieces.
 */
export type Piece = { text: string; tokens: number; place: Place; heading?: { level: number; title: string }; lead?: string };

export function* piecesOf(blocks: Iterable<Block>): Generator<Piece> {
  for (const block of blocks) {
    const { place } = block;
    switch (block.kind) {
      case 'heading': {
        const title = block.text.trim().replace(/\s+/g, ' ');
        if (title === '') break;
        const [first, ...rest] = split(`${'#'.repeat(block.level)} ${title}`, place, TARGET, '\n\n');
        if (first) yield { ...first, heading: { level: block.level, title: title.slice(0, MAX_TITLE) } };
        yield* rest;
        break;
      }
      case 'text':
        if (block.text.trim() !== '') yield* split(block.text, place, TARGET, '\n\n');
        break;
      case 'code':
        if (block.text.trim() !== '') yield* codePieces(block.text, block.language ?? '', place);
        break;
      case 'table':
        yield* tablePieces(block.rows, place);
        break;
      case 'image':
        if (block.text.trim() !== '') yield piece(`[Image: ${block.text.trim()}]\n\n`, place);
        break;
    }
  }
}

/** Invalid characters are replaced, so that the text has the same length when it is stored and read again. */
function piece(given: string, place: Place, lead?: string): Piece {
  const text = given.toWellFormed().replaceAll('\0', '\uFFFD');
  return { text, tokens: tokensOfText(text) + 1, place, ...(lead && { lead }) };
}

function* codePieces(text: string, language: string, place: Place): Generator<Piece> {
  let longest = 2;
  for (const [marks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, marks.length);
  const fence = '`'.repeat(longest + 1);
  const whole = `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n\n`;
  if (tokensOfText(whole) <= WHOLE) yield piece(whole, place);
  else yield* split(text, place, TARGET, '\n\n');
}

function* tablePieces(rows: readonly (readonly string[])[], place: Place): Generator<Piece> {
  const [head, ...body] = rows;
  if (!head) return;
  const lines = [`${rowText(head)}\n|${' --- |'.repeat(Math.max(1, head.length))}\n`, ...body.map((row) => `${rowText(row)}\n`)];
  const whole = `${lines.join('')}\n`;
  if (tokensOfText(whole) <= WHOLE) return yield piece(whole, place);
  const [lead = ''] = lines;
  // A head as long as a chunk is not repeated.
  const repeated = tokensOfText(lead) < TARGET / 2 ? lead : undefined;
  let text = '';
  let from = 0;
  let size = repeated ? tokensOfText(lead) : 0;
  for (const [index, line] of lines.entries()) {
    const tokens = tokensOfText(line);
    if (text !== '' && size + tokens > TARGET) {
      yield* rowPieces(text, rowPlace(place, from, index - 1, rows.length), from > 0 ? repeated : undefined);
      text = '';
      from = index;
      size = repeated ? tokensOfText(lead) : 0;
    }
    text += line;
    size += tokens;
  }
  yield* rowPieces(`${text}\n`, rowPlace(place, from, rows.length - 1, rows.length), from > 0 ? repeated : undefined);
}

/** A single row can be longer than a chunk. */
function* rowPieces(text: string, place: Place, lead: string | undefined): Generator<Piece> {
  if (tokensOfText(text) <= WHOLE) yield piece(text, place, lead);
  else yield* split(text, place, TARGET, '', lead);
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Returns the place of some rows of a table. In Markdown, a line of dashes follows the head. */
function rowPlace(place: Place, from: number, to: number, count: number): Place {
  const { line, endLine, row } = place;
  const lineOf = (index: number) => (line ?? 0) + index + (index > 0 ? 1 : 0);
  return {
    ...place,
    ...(line !== undefined && endLine === line + count && { line: lineOf(from), endLine: lineOf(to) }),
    ...(row !== undefined && { row: row + from, endRow: row + to }),
  };
}

/**
 * Splits a text into pieces of at most `most` tokens: at empty lines if possible, otherwise at the ends of lines, sentences or words. The
 * pieces together are the text, followed by `end`.
 */
function* split(text: string, place: Place, most: number, end: string, lead?: string): Generator<Piece> {
  const whole = text.trimEnd() + end;
  const lineAt = lineCounter(text, place);
  let from = 0;
  while (from < whole.length) {
    const to = cutAfter(whole, from, most);
    const part = whole.slice(from, to);
    yield piece(part, placeOf(place, lineAt, from, to - (part.length - part.trimEnd().length)), lead);
    from = to;
  }
}

/** Returns the offset after the part of the text that begins at `from`. */
function cutAfter(text: string, from: number, most: number): number {
  const longest = text.slice(from, from + most * 4);
  const tokens = tokensOfText(longest);
  if (tokens <= most && from + longest.length === text.length) return text.length;
  const size = Math.max(1, Math.min(longest.length, Math.floor((longest.length * most) / tokens)));
  const part = longest.slice(0, size);
  for (const boundary of ['\n\n', '\n', '. ', ' ']) {
    const at = part.lastIndexOf(boundary);
    if (at > size / 3) return from + at + boundary.length;
  }
  // A surrogate pair is not separated.
  return from + (size > 1 && /[\uD800-\uDBFF]$/.test(part) ? size - 1 : size);
}

type LineAt = ((offset: number) => number) | undefined;

/** Returns a function that counts lines, or undefined if the lines of the text do not correspond to the lines of the file. */
function lineCounter(text: string, { line, endLine }: Place): LineAt {
  if (line === undefined || endLine === undefined) return undefined;
  const lines = text.replace(/\n$/, '').split('\n').length;
  const lead = (endLine - line + 1 - lines) / 2;
  // A code block has one fence line before its code and one after it.
  if (lead !== 0 && lead !== 1) return undefined;
  let [counted, at] = [line + lead, 0];
  return (offset) => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < offset; next = text.indexOf('\n', at)) {
      counted++;
      at = next + 1;
    }
    return counted;
  };
}

function placeOf(place: Place, lineAt: LineAt, from: number, to: number): Place {
  if (!lineAt) return place;
  const line = lineAt(from);
  return { ...place, line, endLine: lineAt(to) };
}
