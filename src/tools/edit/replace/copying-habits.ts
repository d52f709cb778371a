/**
 * Undoes habits of a model, such as characters that it replaced throughout a copied passage: typographic quotes, for example, that the file
 * does not contain. The new lines contain such characters too. Habits are detected from all lines of the passage, if it matched only by
 * ignoring them.
 */
import { PLAINLY, withoutTrailing } from './match.ts';
import type { Op } from './op.ts';

type Undo = (line: string) => string;

/** Returns the diff with corrected added lines. `file` has one line for each entry that is not an addition. */
export function withoutHabits(file: readonly string[], ops: readonly Op[]): readonly Op[] {
  const copy = ops.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  const undo = [...typographic(file, copy), ...trailingBlanks(file, copy)];
  if (undo.length === 0) return ops;
  return ops.map((op) => (op.sign === '+' ? { ...op, text: undo.reduce((line, each) => each(line), op.text) } : op));
}

/** Finds the kinds of characters that are typographic in the copy and plain everywhere in the file. */
function typographic(file: readonly string[], copy: readonly string[]): Undo[] {
  const has = (lines: readonly string[], plainly: Undo) => lines.some((line) => plainly(line) !== line);
  return PLAINLY.filter((plainly) => has(copy, plainly) && !has(file, plainly));
}

/** Detects that all lines of the copy end with the same spaces, although no line of the file ends with spaces. */
function trailingBlanks(file: readonly string[], copy: readonly string[]): Undo[] {
  const trailing = (line: string) => line.slice(withoutTrailing(line).length);
  const areBlank = (line: string) => line.trim() === '';
  const [blanks, ...others] = new Set(copy.filter((line) => !areBlank(line)).map(trailing));
  if (!blanks || others.length > 0 || file.some((line) => !areBlank(line) && trailing(line) !== '')) return [];
  return [(line) => (line.endsWith(blanks) ? line.slice(0, -blanks.length) : line)];
}
