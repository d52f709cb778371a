/** Finds the lines of a file that code from an answer replaces. Only exact matches count: there is no similarity score. */

// Importing the index of the package would load all of it in every run.
import { applyPatch } from 'diff/lib/patch/apply.js';
import { type LineRange, linesOf, wholeFile } from './line-range.ts';

export type Placement =
  | { kind: 'lines'; range: LineRange }
  /** The code is a diff that matches the file. */
  | { kind: 'patch' }
  /** The code leaves out parts of the file. */
  | { kind: 'elided' }
  /** The diff does not match the file. */
  | { kind: 'misfit' }
  | { kind: 'unknown' };

const ELISION =
  /^\s*(?:\/\/|#|--|\/\*|<!--|;|%|"""|\*)?\s*(?:\.{3}|…)\s*(?:\w|\(|$)|^\s*(?:\/\/|#|--|\/\*|<!--).*\b(?:existing|remaining|unchanged|rest of(?: the)?|other)\b.*(?:\.{3}|…|code|unchanged|the same|as before)/im;

/** Determines where `code` belongs in `text`. `language` is that of the code block. */
export function placeCode(text: string, code: string, language: string): Placement {
  if (text.trim() === '') return { kind: 'lines', range: wholeFile(text) };
  if (/^(?:diff|patch)$/.test(language) && /^@@ /m.test(code)) {
    return { kind: withPatch(text, code) === undefined ? 'misfit' : 'patch' };
  }
  if (ELISION.test(code)) return { kind: 'elided' };
  const range = sameEnds(linesOf(text), linesOf(code.trim() === '' ? code : code.replace(/^\s*\n|\s+$/g, '')));
  return range ? { kind: 'lines', range } : { kind: 'unknown' };
}

/**
 * Finds the only line that equals the first line of the code, and the next line after it that equals the last line. In between, no line may be
 * indented less, because the lines would then belong to another block.
 */
function sameEnds(lines: readonly string[], code: readonly string[]): LineRange | undefined {
  const trimmed = code.map((line) => line.trimEnd());
  const [first = '', last = ''] = [trimmed[0], trimmed.at(-1)];
  if (first.trim().length < 4) return undefined;
  const starts = lines.flatMap((line, index) => (line.trimEnd() === first ? [index] : []));
  const [start] = starts;
  if (start === undefined || starts.length > 1) return undefined;
  if (trimmed.length === 1) return { line: start + 1, removes: 1 };
  const indent = indentOf(first);
  for (let index = start + 1; index < lines.length; index++) {
    const line = (lines[index] as string).trimEnd();
    if (line !== '' && indentOf(line) < indent) return undefined;
    if (line === last && indentOf(line) <= Math.max(indent, indentOf(last))) return { line: start + 1, removes: index - start + 1 };
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Returns the text after the diff, or undefined if the diff does not match it. */
export function withPatch(text: string, diff: string): string | undefined {
  const patched = applyPatch(text, diff.endsWith('\n') ? diff : `${diff}\n`, { fuzzFactor: 0, autoConvertLineEndings: true });
  return patched === false ? undefined : patched;
}
