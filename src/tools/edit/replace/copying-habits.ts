/**
 * What a model wrote throughout a copied passage though the file has it nowhere there: the same slip is in the new lines; pure. It is told from
 * all lines of the passage, and only where the passage was found by ignoring it.
 */
import { PLAINLY, withoutTrailing } from './match.ts';
import type { Op } from './render.ts';

type Undo = (line: string) => string;

/** The ops with added lines as they are meant. `file` has a line for each op that is not an addition. */
export function withoutHabits(file: readonly string[], ops: readonly Op[]): readonly Op[] {
  const copy = ops.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  const undo = [...typographic(file, copy), ...trailingBlanks(file, copy)];
  if (undo.length === 0) return ops;
  return ops.map((op) => (op.sign === '+' ? { ...op, text: undo.reduce((line, each) => each(line), op.text) } : op));
}

/** The kinds of characters that the copy has as typographic ones, and the file only as plain ones. */
function typographic(file: readonly string[], copy: readonly string[]): Undo[] {
  const has = (lines: readonly string[], plainly: Undo) => lines.some((line) => plainly(line) !== line);
  return PLAINLY.filter((plainly) => has(copy, plainly) && !has(file, plainly));
}

/** Every line of the copy ends with the same blanks, and none of the file does. */
function trailingBlanks(file: readonly string[], copy: readonly string[]): Undo[] {
  const trailing = (line: string) => line.slice(withoutTrailing(line).length);
  const areBlank = (line: string) => line.trim() === '';
  const [blanks, ...others] = new Set(copy.filter((line) => !areBlank(line)).map(trailing));
  if (!blanks || others.length > 0 || file.some((line) => !areBlank(line) && trailing(line) !== '')) return [];
  return [(line) => (line.endsWith(blanks) ? line.slice(0, -blanks.length) : line)];
}
