/**
 * What stands in the place of a passage; pure. A line that the change keeps stays as the text has it, to the byte. A new line is written as
 * the model wrote it, with the line ending of the line that it replaces or stands beside; where indentation was ignored, indented as the text is.
 */
import { diffArrays } from 'diff';
import { endingNear, splitLines, splitPieces } from './replace-lines.ts';
import { indentOf, type Place } from './replace-match.ts';

/** A line of a change: kept, removed or added. */
export type Op = { sign: ' ' | '-' | '+'; text: string };

/** How one text becomes the other, line by line. */
export function opsOf(old: string, now: string): Op[] {
  const [from, to] = [splitLines(old), splitLines(now)];
  const parts = diffArrays(from, to, { timeout: 1_000 }) ?? [
    { value: from, removed: true, added: false },
    { value: to, added: true, removed: false },
  ];
  return parts.flatMap(({ value, added, removed }) => value.map((text): Op => ({ sign: added ? '+' : removed ? '-' : ' ', text })));
}

export function render(text: string, place: Place, changes: readonly Op[]): string {
  const pieces = splitPieces(text.slice(place.start, place.end));
  const ops = [...changes];
  if (place.atEnd) {
    // The text goes on without its last line break, and so does the change.
    const border = ops.findLastIndex(({ sign, text }) => sign !== '+' && text === '');
    if (ops[border]?.sign === ' ' || ops.at(-1)?.text !== '') ops.splice(border, 1);
    else {
      ops.splice(border, 1);
      ops.pop();
    }
  }
  const indent = place.rule?.wholeLines ? indenter(ops, pieces, text) : undefined;
  const out: { text: string; ending: string }[] = [];
  let removed: string[] = [];
  let at = 0;
  for (const [index, op] of ops.entries()) {
    if (op.sign === '+') out.push({ text: indent ? indent(op.text, index) : op.text, ending: removed.shift() ?? '' });
    else {
      const piece = pieces[at++] ?? { text: '', ending: '' };
      if (op.sign === ' ') {
        out.push(piece);
        removed = [];
      } else removed.push(piece.ending);
    }
  }
  let ending = pieces.find((piece) => piece.ending)?.ending ?? endingNear(text, place.end);
  return out
    .map((piece, index) => {
      if (index === out.length - 1) return piece.text;
      ending = piece.ending || ending;
      return piece.text + ending;
    })
    .join('');
}

/** One blank more is how the stars of a comment are aligned: it is no step. */
const ALIGNED = 1;

/** A line that is in both: how it is indented by the model, and in the text. */
type Known = { index: number; old: string; file: string };

/** From the indentation that the model wrote to the one that the text has, by the lines that are in both. */
function indenter(ops: readonly Op[], pieces: readonly { text: string }[], text: string): (line: string, index: number) => string {
  const known: Known[] = [];
  let at = 0;
  for (const [index, op] of ops.entries()) {
    if (op.sign === '+') continue;
    const piece = pieces[at++];
    if (op.text.trim() !== '' && piece) known.push({ index, old: indentOf(op.text), file: indentOf(piece.text) });
  }
  const { theirs, ours } = stepInBoth(known) ?? stepInEach(ops, pieces, text);
  const translate = (blanks: string) => {
    const steps = blanks.length / theirs.length;
    return theirs === ours || !Number.isInteger(steps) ? blanks : ours.repeat(steps);
  };
  return (line, index) => {
    const indent = indentOf(line);
    if (line.trim() === '') return '';
    const rest = line.slice(indent.length);
    const width = ({ old }: Known) => Math.abs(old.length - indent.length);
    const nearest = (lines: readonly Known[]) => nearestTo(index, lines);
    const same = nearest(known.filter(({ old }) => old === indent));
    if (same) return same.file + rest;
    const closest = known.reduce((least, line) => Math.min(least, width(line)), Number.POSITIVE_INFINITY);
    const anchor = nearest(known.filter((line) => width(line) === closest));
    if (anchor && indent.startsWith(anchor.old)) return anchor.file + translate(indent.slice(anchor.old.length)) + rest;
    if (anchor?.old.startsWith(indent)) {
      const less = translate(anchor.old.slice(indent.length)).length;
      return anchor.file.slice(0, Math.max(0, anchor.file.length - less)) + rest;
    }
    return line;
  };
}

/** They come in their order; of two as near the first. */
function nearestTo(index: number, lines: readonly Known[]): Known | undefined {
  let nearest: Known | undefined;
  for (const line of lines) if (!nearest || Math.abs(line.index - index) < Math.abs(nearest.index - index)) nearest = line;
  return nearest;
}

/** How much further in the model and the text have one line than another; of all such pairs the one that is nearest. */
function stepInBoth(known: readonly { old: string; file: string }[]): { theirs: string; ours: string } | undefined {
  let best: { theirs: string; ours: string } | undefined;
  const distinct = [...new Map(known.map((line) => [line.old, line])).values()];
  for (const outer of distinct) {
    for (const inner of distinct) {
      if (!inner.old.startsWith(outer.old) || !inner.file.startsWith(outer.file)) continue;
      const [theirs, ours] = [inner.old.slice(outer.old.length), inner.file.slice(outer.file.length)];
      if (ours === '' || theirs === '' || theirs === ' ' || theirs.length >= (best?.theirs.length ?? Number.POSITIVE_INFINITY)) continue;
      best = { theirs, ours };
    }
  }
  return best && leastOf(best);
}

/** Several steps at once as the least that stand in the same relation; one blank is no step. */
function leastOf({ theirs, ours }: { theirs: string; ours: string }): { theirs: string; ours: string } {
  const least = theirs.startsWith('\t') ? 1 : 2;
  for (let parts = Math.floor(theirs.length / least); parts > 1; parts--)
    if (theirs.length % parts === 0 && ours.length % parts === 0)
      return { theirs: theirs.slice(0, theirs.length / parts), ours: ours.slice(0, ours.length / parts) };
  return { theirs, ours };
}

function stepInEach(ops: readonly Op[], pieces: readonly { text: string }[], text: string): { theirs: string; ours: string } {
  const theirs = stepOf(ops.map((op) => op.text)) ?? '  ';
  const region = pieces.map((piece) => piece.text);
  return { theirs, ours: stepOf(region, true) ?? stepOf(splitLines(text.slice(0, 200_000))) ?? theirs };
}

/** One step of indentation: a tab, or the blanks by which lines go in most often, or else by which any two differ least. */
function stepOf(lines: readonly string[], strict = false): string | undefined {
  const indents = lines.filter((line) => line.trim() !== '').map(indentOf);
  if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
  const widths = indents.map(({ length }) => length);
  const inward = new Map<number, number>();
  for (const [index, width] of widths.entries()) {
    const step = width - (widths[index - 1] ?? width);
    if (step > ALIGNED) inward.set(step, (inward.get(step) ?? 0) + 1);
  }
  const [most] = [...inward].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (most || strict) return most && ' '.repeat(most[0]);
  const levels = [...new Set([0, ...widths])].sort((a, b) => a - b);
  const least = Math.min(
    ...levels
      .slice(1)
      .map((width, index) => width - (levels[index] as number))
      .filter((step) => step > ALIGNED),
  );
  return Number.isFinite(least) ? ' '.repeat(least) : undefined;
}
