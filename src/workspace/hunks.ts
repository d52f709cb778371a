/** Computes the hunks of a change, which the user accepts or refuses one by one. */
import { structuredPatch } from 'diff/lib/patch/create.js';
import { ToolError } from '../core/run/tool.ts';

/** `oldStart` and `newStart` count lines from 1. `lines` are the lines of a unified diff, each with its sign. */
export type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

const CONTEXT = 3;
const TIMEOUT_MS = 2_000;
const NO_LINE_FEED = '\\ No newline at end of file';

/** Returns undefined when the texts differ too much to compute a diff in time. The change is then treated as one hunk. */
export function hunksOf(before: string, after: string): Hunk[] | undefined {
  if (before === after) return [];
  const { skipped, from, to } = withoutCommonLines(before, after);
  const patch = structuredPatch('', '', from, to, undefined, undefined, { context: CONTEXT, timeout: TIMEOUT_MS });
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    return { oldStart: oldStart + skipped, oldLines, newStart: newStart + skipped, newLines, lines };
  });
}

/** One hunk that replaces all old lines with all new ones. It is displayed when no diff could be computed in time. */
export function replacement(before: string, after: string): Hunk {
  const side = (text: string, sign: string) => {
    const lines = linesOf(text);
    const signedLines = lines.map((line) => sign + line.replace(/\n$/, ''));
    return { count: lines.length, lines: lines.at(-1)?.endsWith('\n') === false ? [...signedLines, NO_LINE_FEED] : signedLines };
  };
  const [old, now] = [side(before, '-'), side(after, '+')];
  return { oldStart: 1, oldLines: old.count, newStart: 1, newLines: now.count, lines: [...old.lines, ...now.lines] };
}

/** Applies the change without the hunks of the `refused` indices. @throws ToolError for an index that does not exist. */
export function withoutHunks(before: string, after: string, refused: readonly number[]): string {
  const hunks = hunksOf(before, after);
  // The user refused some of several hunks. The diff could not be computed again in time, so no hunk is applied.
  if (!hunks) return refused.length > 0 ? before : after;
  const unknown = refused.find((index) => !hunks[index]);
  if (unknown !== undefined) throw new ToolError(`This change has no hunk ${unknown + 1}. Review the change again.`);
  const [old, now] = [linesOf(before), linesOf(after)];
  const parts: string[][] = [];
  let at = 0;
  for (const [index, { oldStart, oldLines, newStart, newLines }] of hunks.entries()) {
    const [from, to] = [oldStart - 1, newStart - 1];
    parts.push(old.slice(at, from), refused.includes(index) ? old.slice(from, from + oldLines) : now.slice(to, to + newLines));
    at = from + oldLines;
  }
  return [...parts, old.slice(at)].flat().join('');
}

/** Splits a text into lines that keep their line endings. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Drops the common lines at the beginning and the end, except for the context, so that the diff of a large file stays fast. */
function withoutCommonLines(old: string, now: string): { skipped: number; from: string; to: string } {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old.charCodeAt(start) === now.charCodeAt(start)) start++;
  let tail = 0;
  while (tail < shorter - start && old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)) tail++;
  for (let line = 0; line <= CONTEXT && start > 0; line++) start = Math.max(0, old.lastIndexOf('\n', start - 1));
  // Moves past the line break. At the beginning of the text there is no line break.
  if (start !== 0) start += 1;
  let end = old.length - tail;
  for (let line = 0; line <= CONTEXT + 1 && end < old.length; line++) end = old.indexOf('\n', end) + 1 || old.length;
  let skipped = 0;
  for (let at = old.indexOf('\n'); at >= 0 && at < start; at = old.indexOf('\n', at + 1)) skipped++;
  return { skipped, from: old.slice(start, end), to: now.slice(start, now.length - (old.length - end)) };
}
