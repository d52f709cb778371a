/** Three-way merge by lines. It combines the changes of both sides when they do not overlap. */
import { diffArrays } from 'diff/lib/diff/array.js';
import { decodeText, encodeLike } from './content.ts';
import { linesOf } from './hunks.ts';

/** The lines of the base from `from` up to, but not including, `to` are replaced by `lines`. */
type Edit = { from: number; to: number; lines: string[] };

const TIMEOUT_MS = 2_000;

/**
 * Returns undefined on a conflict: both sides changed the same lines differently, or added lines at the same place. With `isPartial`, our
 * lines win there, and the rest is merged.
 */
export function mergeText(base: string, ours: string, theirs: string, isPartial = false): string | undefined {
  const lines = linesOf(base);
  const [mine, other] = [editsOf(lines, linesOf(ours)), editsOf(lines, linesOf(theirs))];
  if (!mine || !other) return undefined;
  let merged: string[] = [];
  let at = 0;
  const take = ({ from, to, lines: after }: Edit) => {
    merged = merged.concat(lines.slice(at, from), after);
    at = to;
  };
  while (mine.length > 0 || other.length > 0) {
    const [a, b] = [mine[0], other[0]];
    if (a && b && isSame(a, b)) {
      other.shift();
      continue;
    }
    if (a && b && isConflict(a, b)) {
      if (!isPartial) return undefined;
      other.shift();
      continue;
    }
    take((!b || (a && isFirst(a, b)) ? mine.shift() : other.shift()) as Edit);
  }
  const whole = merged.concat(lines.slice(at));
  // A last line without a line break must not be joined with lines that follow it after the merge.
  return whole.slice(0, -1).every((line) => line.endsWith('\n')) ? whole.join('') : undefined;
}

/** Merges like `mergeText`, in the encoding of `ours`. Returns undefined for binary content. */
export function mergeBytes(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array, isPartial = false): Uint8Array | undefined {
  const [from, mine, other] = [decodeText(base), decodeText(ours), decodeText(theirs)];
  if (from === undefined || mine === undefined || other === undefined) return undefined;
  const merged = mergeText(from, mine, other, isPartial);
  return merged === undefined ? undefined : encodeLike(merged, ours);
}

function editsOf(base: string[], side: string[]): Edit[] | undefined {
  const edits: Edit[] = [];
  let at = 0;
  let edit: Edit | undefined;
  const changes = diffArrays(base, side, { timeout: TIMEOUT_MS });
  for (const { added, removed, value } of changes ?? []) {
    if (!added) at += value.length;
    if (!added && !removed) {
      edit = undefined;
      continue;
    }
    if (!edit) {
      edit = { from: added ? at : at - value.length, to: at, lines: [] };
      edits.push(edit);
    }
    if (added) edit.lines = edit.lines.concat(value);
    else edit.to = at;
  }
  return changes && edits;
}

function isSame(a: Edit, b: Edit): boolean {
  return a.from === b.from && a.to === b.to && a.lines.length === b.lines.length && a.lines.every((line, at) => line === b.lines[at]);
}

/**
 * Two edits conflict when they replace the same lines, add lines at the same place, or when one adds lines inside what the other replaces.
 */
function isConflict(a: Edit, b: Edit): boolean {
  if (a.from === b.from && (a.from === a.to) === (b.from === b.to)) return true;
  return a.from < b.to && b.from < a.to;
}

function isFirst(a: Edit, b: Edit): boolean {
  return a.from < b.from || (a.from === b.from && a.to <= b.to);
}
