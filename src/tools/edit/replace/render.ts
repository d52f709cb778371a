/**
 * Renders the text that replaces a passage. A kept line keeps its bytes. A new line is written as the model wrote it, with the line
 * ending of the line that it replaces or follows. When indentation was ignored, it is indented like the file.
 */

import { diffArrays } from 'diff/lib/diff/array.js';
import { withoutHabits } from './copying-habits.ts';
import { indentsFor } from './indent.ts';
import { type Lines, splitLines, splitPieces } from './lines.ts';
import { indentOf, type Place } from './match.ts';
import type { Op } from './op.ts';
import { withTypographyOf } from './typography.ts';

/**
 * Computes the line diff of two texts. Line breaks at the beginning or end of both texts are kept, and never matched with an empty line.
 */
export function opsOf(old: string, now: string): Op[] {
  const [from, to] = [splitLines(old), splitLines(now)];
  const isShort = Math.min(from.length, to.length) < 2;
  const begins = !isShort && from[0] === '' && to[0] === '' ? 1 : 0;
  const ends = !isShort && from.at(-1) === '' && to.at(-1) === '' && Math.min(from.length, to.length) > begins + 1 ? 1 : 0;
  const inner = [from.slice(begins, from.length - ends), to.slice(begins, to.length - ends)] as const;
  const parts = diffArrays(...inner, { timeout: 1_000 }) ?? [
    { value: inner[0], removed: true, added: false },
    { value: inner[1], added: true, removed: false },
  ];
  const ops = parts.flatMap(({ value, added, removed }) => value.map((text): Op => ({ sign: added ? '+' : removed ? '-' : ' ', text })));
  return [...(begins ? [BORDER] : []), ...ops, ...(ends ? [BORDER] : [])];
}

/** The empty line after a line break at the beginning or end of a passage. */
export const BORDER: Op = { sign: ' ', text: '' };

/**
 * Returns undefined when the indentation of a new line cannot be determined. `isContextFixed` is true for patches: the model marked the
 * kept lines itself, and its habits were already undone, based on more lines than these.
 */
export function render(lines: Lines, place: Place, changes: readonly Op[], isContextFixed = false): string | undefined {
  const { text } = lines;
  const pieces = splitPieces(text.slice(place.start, place.end));
  const file = pieces.map((piece) => piece.text);
  const clean = place.rule && !isContextFixed ? withoutHabits(file, changes) : changes;
  const ops = place.rule?.isTypographic ? withTypographyOf(file, clean) : clean;
  const indents = place.rule?.wholeLines ? indentsFor(ops, file, lines, isContextFixed) : undefined;
  if (place.rule?.wholeLines && !indents) return undefined;
  const out: { text: string; ending: string }[] = [];
  let removed: string[] = [];
  let at = 0;
  for (const [index, op] of ops.entries()) {
    const indent = indents?.get(index);
    if (op.sign === '+') {
      // A blank new line is left empty when indentation is ignored.
      const words = indents ? op.text.slice(indentOf(op.text).length) : op.text;
      out.push({ text: (indent ?? '') + words, ending: removed.shift() ?? '' });
      continue;
    }
    const piece = pieces[at++] ?? { text: '', ending: '' };
    if (op.sign === '-') removed.push(piece.ending);
    else {
      const words = piece.text.slice(indentOf(piece.text).length);
      out.push(indent === undefined ? piece : { text: indent + words, ending: piece.ending });
      removed = [];
    }
  }
  let ending = pieces.find((piece) => piece.ending)?.ending ?? lines.endingNear(place.end);
  return out
    .map((piece, index) => {
      if (index === out.length - 1) return piece.text;
      ending = piece.ending || ending;
      return piece.text + ending;
    })
    .join('');
}
