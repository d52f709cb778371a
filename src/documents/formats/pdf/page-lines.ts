/** Forms lines and paragraphs from the pieces of text on a page of a PDF, which know only their positions. */

/** A piece of text as pdf.js delivers it. `transform` contains the size and the position. */
export type TextPiece = { str: string; transform: readonly number[]; width: number; height: number; hasEOL: boolean };

export type Line = { text: string; size: number; x: number; y: number };

/** A gap between two pieces of a line that is this many times their size separates the cells of a table. */
const CELL_GAP = 1.6;
const WORD_GAP = 0.15;
/** Lines that are further apart than this, in sizes of their text, belong to different paragraphs. */
const PARAGRAPH_GAP = 1.75;

/** Pieces are read in the order of the file, which keeps columns apart. */
export function linesOf(pieces: readonly TextPiece[]): Line[] {
  const lines: Line[] = [];
  let line: { pieces: string[]; sizes: Map<number, number>; x: number; y: number; end: number; size: number } | undefined;
  const endLine = () => {
    // The dots of a table of contents carry no information.
    const text = (line?.pieces.join('').trim() ?? '').replace(/(?:[.·] ?){5,}/g, '… ');
    if (line && text !== '') lines.push({ text, size: mostFrequent(line.sizes), x: line.x, y: line.y });
    line = undefined;
  };
  for (const { str, transform, width, height, hasEOL } of pieces) {
    const [x, y] = [finite(transform[4]), finite(transform[5])];
    const size = finite(height) || Math.hypot(finite(transform[2]), finite(transform[3])) || line?.size || 10;
    if (str !== '' && line && (Math.abs(y - line.y) > Math.max(size, line.size) / 2 || x < line.x - size)) endLine();
    if (str !== '') {
      line ??= { pieces: [], sizes: new Map(), x, y, end: x, size };
      const gap = x - line.end;
      const isSpaced = /\s$/.test(line.pieces.at(-1) ?? ' ') || /^\s/.test(str);
      if (line.pieces.length > 0 && gap > CELL_GAP * size && str.trim() !== '') line.pieces.push(' | ');
      else if (gap > WORD_GAP * size && !isSpaced) line.pieces.push(' ');
      // A wide space between cells is only a gap.
      if (str.trim() !== '' || width <= CELL_GAP * size) {
        line.pieces.push(str);
        line.end = Math.max(line.end, x + finite(width));
      }
      const rounded = Math.round(size * 2) / 2;
      line.sizes.set(rounded, (line.sizes.get(rounded) ?? 0) + str.trim().length);
      line.size = size;
    }
    if (hasEOL) endLine();
  }
  endLine();
  return lines;
}

/** Divides the lines of a page into paragraphs: at gaps, at changes of the size, and where the next column begins. */
export function paragraphsOf(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [];
  for (const line of lines) {
    const previous = paragraphs.at(-1)?.at(-1);
    const gap = previous ? previous.y - line.y : 0;
    const isNext =
      previous && gap >= 0 && gap <= PARAGRAPH_GAP * Math.max(line.size, previous.size) && Math.abs(line.size - previous.size) < 1;
    if (isNext) paragraphs.at(-1)?.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs;
}

/** Joins lines. A word that was divided at the end of a line is put together. */
export function joinedLines(lines: readonly Line[]): string {
  const isTable = lines.some(({ text }) => text.includes(' | '));
  let text = '';
  for (const line of lines) {
    if (isTable) text += text === '' ? line.text : `\n${line.text}`;
    else if (/\p{Ll}[-\u00ad]$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(line.text)) text = text.slice(0, -1) + line.text;
    else text += text === '' ? line.text : `\n${line.text}`;
  }
  return text;
}

/** Returns the key with the greatest count. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let [best, most] = [0, -1];
  for (const [key, count] of counts) if (count > most) [best, most] = [key, count];
  return best;
}

function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0;
}
