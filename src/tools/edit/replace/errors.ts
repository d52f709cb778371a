/**
 * Error messages of edits. Each quotes the relevant lines in the format of read_file, so that the model can copy them for its next attempt.
 */
import { isElision } from './elision.ts';
import type { Lines } from './lines.ts';
import { LOOSER, type Place } from './match.ts';
import { nearestStart, numberedLines } from './nearest.ts';
import { slipIn } from './slip-hints.ts';

const MAX_NAMED = 5;
const MAX_SHOWN = 3;
const MAX_LINES = 20;
/** The number of lines that are quoted before and after the passage. */
const AROUND = 2;
/** The maximum number of characters that are quoted from a line. */
const MAX_QUOTED = 120;

/** Formats line numbers: `at lines 3, 9`. */
export function linesOf(lines: Lines, places: readonly { start: number }[]): string {
  const named = places.slice(0, MAX_NAMED).map(({ start }) => lines.numberAt(start));
  return `at line${places.length === 1 ? '' : 's'} ${named.join(', ')}${places.length > MAX_NAMED ? ', …' : ''}`;
}

/** Formats the message `occurs 2 times in a.txt, at lines 3, 9.` with the advice and the lines around the first matches. */
export function occursAt(lines: Lines, places: readonly Place[], path: string, advice: string): string {
  const ignoring = places[0]?.rule ? `, ignoring ${places[0].rule.ignores}` : '';
  const around = places.slice(0, MAX_SHOWN).map(({ start }) => {
    const line = lines.numberAt(start) - 1;
    return numberedLines(lines, line - 1, line + 2);
  });
  return `occurs ${places.length} times in ${path}${ignoring}, ${linesOf(lines, places)}. ${advice}\n${around.join('\n…\n')}`;
}

export function unclearIndentation(lines: Lines, place: Place, what: string, path: string): string {
  return `${what} occurs in ${path} with a different indentation, so the indentation of the new lines is ambiguous. Give all lines with the indentation of the file:\n${quoteLines(lines, place)}`;
}

/**
 * Builds the error for a passage that begins behind the indentation of a line, so that the indentation of the new lines is ambiguous.
 */
export function beginsWithinLine(lines: Lines, place: Place, what: string, path: string): string {
  const line = lines.numberAt(place.start);
  return `${what} occurs in ${path}, but begins in the middle of line ${line}, so the indentation of the new lines is ambiguous. Give the complete line and the new lines with the indentation of the file:\n${quoteLines(lines, place)}`;
}

/**
 * Returns true if lines that the change removes still exist near the place where its result was found. The change was then not applied: the
 * file contains its result only by chance.
 */
export function isUndone(lines: Lines, { start, end }: Place, old: readonly string[], now: readonly string[]): boolean {
  const { fold } = LOOSER.at(-1) as (typeof LOOSER)[number];
  const newLines = new Set(now.map(fold));
  const removed = new Set(old.map(fold).filter((line) => /[\p{L}\p{N}]/u.test(line) && !newLines.has(line)));
  const [from, to] = [lines.numberAt(start) - 1 - old.length, lines.numberAt(end) + old.length];
  return lines
    .folded(fold)
    .slice(Math.max(0, from), to)
    .some((line) => removed.has(line));
}

export function appliedAlready(lines: Lines, place: Place, what: string, path: string): string {
  const line = lines.numberAt(place.start);
  return `${what} is not in ${path}, but the result of the change is at line ${line}. The change is probably already applied. Read the file before the next edit.\n${quoteLines(lines, place)}`;
}

/** Quotes the matched lines. */
function quoteLines(lines: Lines, { start, end }: Place): string {
  const from = lines.numberAt(start) - 1;
  const to = lines.numberAt(Math.max(start, end - 1));
  const most = from + 2 * MAX_LINES;
  return numberedLines(lines, from, Math.min(to, most)) + (to > most ? '\n…' : '');
}

export function leavesOut(what: string, elision: string): string {
  return `${what} omits code: the placeholder ${quoted(elision)} would replace the code that it stands for. Write all lines, or use a smaller edit for each part that changes. If you mean the comment literally, word it differently. Nothing was changed.`;
}

/** Quotes the passage of the file that is most similar to the missing passage, and the first line in which they differ. */
export function notFound(lines: Lines, passage: readonly string[], what: string, path: string): string {
  const slip = slipIn(lines, passage.join('\n'));
  const meant = slip ? slip.passage.split('\n') : passage;
  const elision = meant.find((line) => isElision(line.trim(), path) || /^(?:\.{3}|…)$/.test(line.trim()));
  const hints = [
    ...(slip ? [slip.hint] : []),
    ...(elision === undefined
      ? []
      : [`Its line ${quoted(elision.trim())} is a placeholder. Copy the lines that it stands for, or use a separate edit for each part.`]),
  ];
  const start = nearestStart(lines, meant);
  if (start === undefined) return [`${what} is not in ${path}.`, ...hints, 'Read the file again.'].join(' ');
  const at = elision === undefined ? differenceAt(lines, meant, start) : undefined;
  const from = Math.max(0, at === undefined || at - start < MAX_LINES - AROUND ? start - AROUND : at - MAX_LINES / 2);
  const near = numberedLines(lines, from, Math.min(start + meant.length + AROUND, from + MAX_LINES));
  const difference = at === undefined ? '' : `\n${differenceOf(lines, meant, start, at)}`;
  return [`${what} is not in ${path}.`, ...hints, `Copy the lines from the nearest passage:\n${near}${difference}`].join(' ');
}

/** Returns the index of the first line of the file that differs from the passage. */
function differenceAt(lines: Lines, passage: readonly string[], start: number): number | undefined {
  const { fold } = LOOSER.at(-1) as (typeof LOOSER)[number];
  const index = passage.findIndex((line, offset) => fold(line) !== fold(lines.line(start + offset)));
  return index < 0 || start + index >= lines.full ? undefined : start + index;
}

function differenceOf(lines: Lines, passage: readonly string[], start: number, at: number): string {
  const { fold } = LOOSER.at(-1) as (typeof LOOSER)[number];
  const [theirs = '', next] = passage.slice(at - start);
  const [file, below] = [lines.line(at), lines.line(at + 1)];
  if (at > start && fold(theirs) !== '' && fold(theirs) === fold(below))
    return `Line ${at + 1} of the file is missing in your text: ${lineNamed(file)}`;
  if (next !== undefined && fold(next) !== '' && fold(next) === fold(file))
    return `The file has no ${theirs.trim() === '' ? 'empty line' : `line ${quoted(theirs)}`} before line ${at + 1}.`;
  let same = 0;
  while (same < file.length && file[same] === theirs[same]) same++;
  return `Your text first differs in line ${at + 1}. The file has ${lineNamed(file, same)}, not ${lineNamed(theirs, same)}`;
}

function lineNamed(line: string, at?: number): string {
  return line.trim() === '' ? 'an empty line' : quoted(line, at);
}

/** Quotes a line. If the line is long, only the part around the position `at` is quoted. */
function quoted(line: string, at = 0): string {
  const from = line.length > MAX_QUOTED ? Math.max(0, at - MAX_QUOTED / 3) : 0;
  const part = line.slice(from, from + MAX_QUOTED);
  return `\`${from > 0 ? '…' : ''}${part}${from + part.length < line.length ? '…' : ''}\``;
}
