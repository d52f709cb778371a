/**
 * Restores typographic quotes, dashes and spaces, which models write as plain characters. The parts that a new line shares with the line
 * that it replaces keep the characters of the file.
 */
import { diffArrays } from 'diff/lib/diff/array.js';
import type { Op } from './op.ts';

const TOKEN = /\s+|[\p{L}\p{N}_]+|./gsu;
/** The maximum length of the old and new text in characters. Longer texts are not compared, because that would take too long. */
const MAX_LENGTH = 20_000;

/** Restores the characters of the file in added lines. `file` has one line for each diff entry that is not an addition. */
export function withTypographyOf(file: readonly string[], ops: readonly Op[]): Op[] {
  const result = [...ops];
  let at = 0;
  let run: { old: string[]; file: string[]; added: number[] } = { old: [], file: [], added: [] };
  const finish = () => {
    const { added } = run;
    const lines = withFileCharacters(
      run.old.join('\n'),
      run.file.join('\n'),
      added.map((index) => (ops[index] as Op).text).join('\n'),
    ).split('\n');
    for (const [line, index] of added.entries()) result[index] = { sign: '+', text: lines[line] as string };
    run = { old: [], file: [], added: [] };
  };
  for (const [index, { sign, text }] of ops.entries()) {
    if (sign === '+') run.added.push(index);
    else {
      const line = file[at++] ?? '';
      if (sign === ' ') finish();
      else if (text.trim().length === line.trim().length) {
        run.old.push(text.trim());
        run.file.push(line.trim());
      }
    }
  }
  finish();
  return result;
}

/** `old` and `file` have the same length, because they differ only in quotes, dashes and spaces. */
function withFileCharacters(old: string, file: string, now: string): string {
  if (old === file || now.length + old.length > MAX_LENGTH) return now;
  let at = 0;
  const parts = diffArrays(old.match(TOKEN) ?? [], now.match(TOKEN) ?? [], { timeout: 500 });
  if (!parts) return now;
  return parts
    .map(({ value, added, removed }) => {
      const text = value.join('');
      if (added) return text;
      at += text.length;
      return removed ? '' : file.slice(at - text.length, at);
    })
    .join('');
}
