/** Replacing passages of a text, several as one; pure. */
import { ToolError } from '../core/tool.ts';
import { endingNear, Lines, lineAt, splitLines } from './replace-lines.ts';
import { byLines, type Place, placesOf, type Rule } from './replace-match.ts';
import { nearestPassage, numbered } from './replace-nearest.ts';
import { type Op, opsOf, render } from './replace-render.ts';
import { slipIn } from './replace-slips.ts';

export type Edit = { old_text: string; new_text: string; all?: boolean | undefined };
/** `what` names the edit in messages. */
export type Span = { start: number; end: number; text: string; what: string; rule?: Rule | undefined };
/** `notes` say which passages were found by a looser rule, and where. */
export type Replaced = { text: string; replaced: number; notes: string[] };

const MAX_NAMED = 5;

/**
 * Applies all edits to the same original. @throws ToolError, naming lines, when a passage is not there, is there twice
 * without `all`, overlaps another edit's, or when nothing would change.
 */
export function replaceAll(original: string, edits: readonly Edit[], path: string): Replaced {
  const [mark, lines] = withoutMark(original);
  const meant = mark ? edits.map((edit) => unmarked(edit, lines)) : edits;
  const spans = meant.flatMap((_, index) => find(lines, meant, index, path));
  const replaced = splice(lines.text, spans, path);
  if (replaced.text === lines.text) throw new ToolError(`The edits would leave ${path} as it is.`);
  return { ...replaced, text: mark + replaced.text };
}

/** The byte order mark is no part of the first line. */
export function withoutMark(text: string): [mark: string, lines: Lines] {
  return text.startsWith('\uFEFF') ? ['\uFEFF', new Lines(text.slice(1))] : ['', new Lines(text)];
}

/** A model may have copied the mark too. */
function unmarked(edit: Edit, { text }: Lines): Edit {
  if (!edit.old_text.startsWith('\uFEFF') || text.includes(edit.old_text)) return edit;
  return { ...edit, old_text: edit.old_text.slice(1), new_text: edit.new_text.replace(/^\uFEFF/, '') };
}

/** All spans at once. @throws ToolError where two overlap. */
export function splice(text: string, spans: readonly Span[], path: string): Replaced {
  const sorted = [...spans].sort((a, b) => a.start - b.start || a.end - b.end);
  let out = '';
  let at = 0;
  for (const [index, span] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous && span.start < previous.end) {
      const [first, second] = [previous.what, span.what].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      throw new ToolError(
        `${capital(joined(first as string, second as string))} overlap at line ${lineAt(text, span.start)} of ${path}. Join them.`,
      );
    }
    out += text.slice(at, span.start) + span.text;
    at = span.end;
  }
  return { text: out + text.slice(at), replaced: spans.length, notes: notesOn(text, sorted) };
}

/** One for each edit that a looser rule found. */
function notesOn(text: string, spans: readonly Span[]): string[] {
  const loose = spans.filter(({ rule }) => rule);
  return [...new Set(loose.map(({ what }) => what))].map((what) => {
    const places = loose.filter((span) => span.what === what);
    return `${capital(what)} was found ${linesOf(text, places)} by ignoring ${places[0]?.rule?.ignores}.`;
  });
}

/** `at lines 3, 9` */
function linesOf(text: string, places: readonly { start: number }[]): string {
  const named = places.slice(0, MAX_NAMED).map(({ start }) => lineAt(text, start));
  return `at line${places.length === 1 ? '' : 's'} ${named.join(', ')}${places.length > MAX_NAMED ? ', …' : ''}`;
}

/** `edits 1 and 2`, but `edit 1 and hunk 2`. */
function joined(a: string, b: string): string {
  const kind = a.split(' ', 1)[0] as string;
  return b.startsWith(`${kind} `) ? `${kind}s${a.slice(kind.length)} and${b.slice(kind.length)}` : `${a} and ${b}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function find(lines: Lines, edits: readonly Edit[], index: number, path: string): Span[] {
  const { old_text, new_text, all } = edits[index] as Edit;
  const { text } = lines;
  const what = `edit ${index + 1}`;
  if (old_text === '') {
    if (text === '') return [{ start: 0, end: 0, text: new_text, what }];
    throw new ToolError(`old_text of ${what} is empty. Give the passage to replace.`);
  }
  const found = placesOf(lines, old_text);
  const places = all ? apart(found) : found;
  if (places.length === 0) {
    const made = edits.findIndex((other) => other.new_text.includes(old_text));
    if (made >= 0 && made !== index)
      throw new ToolError(
        `old_text of ${what} is only in new_text of edit ${made + 1}. All edits refer to ${path} as it is now: join the two.`,
      );
    throw new ToolError(notFound(lines, splitLines(old_text), `old_text of ${what}`, path));
  }
  if (places.length > 1 && !all)
    throw new ToolError(`old_text of ${what} ${occursAt(lines, places, path)} Give more lines around it, or set all.`);
  let ops: Op[] | undefined;
  return places.map((found) => {
    const place = asLines(text, found, old_text, new_text);
    if (place.rule && !place.atEnd) ops ??= opsOf(old_text, new_text);
    const replacement = replacementOf(lines, place, old_text, new_text, ops);
    if (replacement === undefined) throw new ToolError(unclearIndentation(lines, place, `old_text of ${what}`, path));
    return { ...place, text: replacement, what };
  });
}

function replacementOf(lines: Lines, place: Place, old: string, now: string, ops: readonly Op[] = []): string | undefined {
  if (!place.rule) return written(lines.text, place, old, now);
  // The text goes on without its last line break, and so does the change.
  return render(lines, place, place.atEnd ? opsOf(withoutBreak(old), withoutBreak(now)) : ops);
}

function withoutBreak(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/**
 * A passage that begins within its line's indentation and ends with its line is meant as whole lines, where it matters: what stands there
 * afterwards is indented as they are. One that has all of its other lines as the file has them is meant to the letter.
 */
function asLines(text: string, place: Place, old: string, now: string): Place {
  if (place.rule?.wholeLines || !isAboutIndentation(old, now)) return place;
  const start = lineStart(text, place.start);
  const startsInside = place.start > start && /^[ \t]+$/.test(text.slice(start, place.start));
  const endsThere = /[\r\n]$/.test(old) || place.end === text.length || /[\r\n]/.test(text[place.end] as string);
  return startsInside && endsThere ? { ...place, start, rule: byLines(place.rule) } : place;
}

/** Where both begin with their first word, what follows it is as the file has it, unless it is all there is. */
function isAboutIndentation(old: string, now: string): boolean {
  const endsLine = /[\r\n]$/.test(old);
  if (/^[ \t]+[^ \t\r\n]/.test(old)) return endsLine || /[\r\n]/.test(now);
  if (/^[ \t\r\n]/.test(old)) return false;
  return /^[ \t]+[^ \t\r\n]/.test(now) || (!/[\r\n]/.test(old.trimEnd()) && (/[\r\n]/.test(now.trimEnd()) || (endsLine && now === '')));
}

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && !/[\r\n]/.test(text[start - 1] as string)) start--;
  return start;
}

/** Models write \n; a text with \r\n keeps being written in its own way, unless the edit itself is about line endings. */
function written(text: string, { start, end }: Place, old: string, now: string): string {
  if (!/[\r\n]/.test(now) || (old.includes('\r') && (now.includes('\r') || withNewlines(old) === now))) return now;
  const ending = old.includes('\r\n') ? '\r\n' : /[\r\n]/.exec(old)?.[0];
  if (!ending && !/[\r\n]/.test(text)) return now;
  return now.replace(/\r\n|\n|\r/g, ending ?? endingNear(text, end > start ? end : start));
}

function withNewlines(text: string): string {
  return text.replace(/\r\n|\r/g, '\n');
}

/** Without those that overlap the one before. */
function apart(places: readonly Place[]): Place[] {
  const chosen: Place[] = [];
  for (const place of places) if (place.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(place);
  return chosen;
}

/** `occurs 2 times in a.txt, at lines 3, 9.` */
export function occursAt(lines: Lines, places: readonly Place[], path: string): string {
  const ignoring = places[0]?.rule ? `, ignoring ${places[0].rule.ignores}` : '';
  return `occurs ${places.length} times in ${path}${ignoring}, ${linesOf(lines.text, places)}.`;
}

export function unclearIndentation(lines: Lines, place: Place, what: string, path: string): string {
  const from = lineAt(lines.text, place.start);
  const to = lineAt(lines.text, Math.max(place.start, place.end - 1));
  return `${what} is in ${path} with another indentation, and it cannot be told how the new lines are to be indented. Give all lines with the indentation that the file has:\n${numbered(lines, from - 1, to)}`;
}

/** Shows where something like it does stand, so that the next try can copy it. */
export function notFound(lines: Lines, passage: readonly string[], what: string, path: string): string {
  const slip = slipIn(lines, passage.join('\n'));
  const near = nearestPassage(lines, slip ? slip.passage.split('\n') : passage);
  return `${what} is not in ${path}.${slip ? ` ${slip.hint}` : ''}${near ? ` The nearest passage:\n${near}` : ' Read the file again.'}`;
}
