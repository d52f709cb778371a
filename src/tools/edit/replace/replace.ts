/** Applies all edits of a tool call to a text together. */
import { ToolError } from '../../../core/run/tool.ts';
import { expectBreak } from '../escaped-text.ts';
import { MENDS, type Mend } from './copying-slips.ts';
import { elisionIn } from './elision.ts';
import { appliedAlready, beginsWithinLine, isUndone, leavesOut, linesOf, notFound, occursAt, unclearIndentation } from './errors.ts';
import { Lines, splitLines } from './lines.ts';
import { byLines, indentOf, type Place, placesOf } from './match.ts';
import { opsOf, render } from './render.ts';

export type Edit = { old_text: string; new_text: string; all?: boolean | undefined };
/** `what` names the edit in messages. `ignores` names the differences that were ignored to find the passage. */
export type Span = { start: number; end: number; text: string; what: string; ignores?: string | undefined };
/** `notes` name the passages that matched by a looser rule, with their lines. */
export type Replaced = { text: string; replaced: number; notes: string[] };

/** The minimum length, in characters, of a new text that shows that an edit is already applied. A shorter text may occur by chance. */
const MIN_DONE = 12;

/**
 * Applies all edits to the same original. @throws ToolError, with line numbers, when a passage is missing, occurs several times without
 * `all`, or overlaps that of another edit, or when nothing would change.
 */
export function replaceAll(original: string, edits: readonly Edit[], path: string): Replaced {
  const [mark, lines] = withoutMark(original);
  const meant = mark ? edits.map((edit) => unmarked(edit, lines)) : edits;
  const spans = meant.flatMap((_, index) => spansOf(lines, meant, index, path));
  const replaced = splice(lines, spans, path);
  if (replaced.text === lines.text) throw new ToolError(`The edits change nothing in ${path}. Read the file again.`);
  return { ...replaced, text: mark + replaced.text };
}

/** @throws ToolError when a new text leaves out code, which would be lost, or contains escaped line breaks. */
export function expectWhole(edits: readonly Edit[], path: string): void {
  const old = edits.map(({ old_text }) => old_text).join('\n');
  for (const [index, { old_text, new_text }] of edits.entries()) {
    expectBreak(old_text, new_text, `new_text of edit ${index + 1}`);
    const elision = elisionIn(new_text, old, path);
    if (elision !== undefined) throw new ToolError(leavesOut(`new_text of edit ${index + 1}`, elision));
  }
}

/** Separates the byte order mark, which is not part of the first line. */
export function withoutMark(text: string): [mark: string, lines: Lines] {
  return text.startsWith('\uFEFF') ? ['\uFEFF', new Lines(text.slice(1))] : ['', new Lines(text)];
}

/** Removes the byte order mark from an edit, because a model may have copied it. */
function unmarked(edit: Edit, { text }: Lines): Edit {
  if (!edit.old_text.startsWith('\uFEFF') || text.includes(edit.old_text)) return edit;
  return { ...edit, old_text: edit.old_text.slice(1), new_text: edit.new_text.replace(/^\uFEFF/, '') };
}

/** Replaces all spans together. Equal spans count once. @throws ToolError when two overlap. */
export function splice(lines: Lines, spans: readonly Span[], path: string): Replaced {
  const isSame = (span: Span, other?: Span) => span.start === other?.start && span.end === other.end && span.text === other.text;
  const all = [...spans].sort((a, b) => a.start - b.start || a.end - b.end);
  const sorted = all.filter((span, index) => !isSame(span, all[index - 1]));
  const { text } = lines;
  let out = '';
  let at = 0;
  for (const [index, span] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous && span.start < previous.end) {
      const [first, second] = [previous.what, span.what].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      throw new ToolError(
        `${capital(joined(first as string, second as string))} overlap at line ${lines.numberAt(span.start)} of ${path}. Join the edits.`,
      );
    }
    out += text.slice(at, span.start) + span.text;
    at = span.end;
  }
  return { text: out + text.slice(at), replaced: sorted.length, notes: notesOn(lines, sorted) };
}

/** Builds one note for each edit that matched by a looser rule. */
function notesOn(lines: Lines, spans: readonly Span[]): string[] {
  const loose = spans.filter(({ ignores }) => ignores);
  return [...new Set(loose.map(({ what }) => what))].map((what) => {
    const places = loose.filter((span) => span.what === what);
    return `${capital(what)} was found ${linesOf(lines, places)} by ignoring ${places[0]?.ignores}.`;
  });
}

/** Joins two names: `edits 1 and 2`, but `edit 1 and hunk 2`. */
function joined(a: string, b: string): string {
  const kind = a.split(' ', 1)[0] as string;
  return b.startsWith(`${kind} `) ? `${kind}s${a.slice(kind.length)} and${b.slice(kind.length)}` : `${a} and ${b}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function spansOf(lines: Lines, edits: readonly Edit[], index: number, path: string): Span[] {
  const { old_text, new_text, all } = edits[index] as Edit;
  const { text } = lines;
  const what = `edit ${index + 1}`;
  if (old_text === '') {
    if (text === '') return [{ start: 0, end: 0, text: new_text, what }];
    throw new ToolError(`old_text of ${what} is empty. Give the passage to replace.`);
  }
  const { found, old, now, mend } = placesOfEdit(lines, edits[index] as Edit);
  const places = all ? withoutOverlaps(found) : found;
  if (places.length === 0) throw new ToolError(missingPassageError(lines, edits, index, path));
  if (places.length > 1 && !all) {
    const same = edits.findIndex((other, at) => at !== index && other.old_text === old_text && other.new_text === new_text) + 1;
    const advice = `${same > 0 ? `Edit ${same} is the same. ` : ''}Give more lines around it, or set all.`;
    throw new ToolError(`old_text of ${what} ${occursAt(lines, places, path, advice)}`);
  }
  const isIndented = isAboutIndentation(old, now);
  const ops = places.some(({ rule }) => rule) || isIndented ? opsOf(old, now) : [];
  return places.map((each) => {
    const indent = indentBefore(lines, each.start);
    const place = isIndented ? asLines(text, each, indent, old) : each;
    const isDoubled = place === each && isTrimmedInOldOnly(indent, old, now);
    const replacement = isDoubled ? replacementOf(lines, place, old, now.slice(indent.length)) : replacementOf(lines, place, old, now, ops);
    if (replacement === undefined) {
      const why = place === each ? unclearIndentation : beginsWithinLine;
      throw new ToolError(why(lines, place, `old_text of ${what}`, path));
    }
    const ignores = [mend?.ignores, place.rule?.ignores].flatMap((each) => each ?? []).join(' and ');
    return { start: place.start, end: place.end, text: replacement, what, ...(ignores && { ignores }) };
  });
}

/** Finds the passage as it was sent or, failing that, with a copying mistake undone. */
function placesOfEdit(
  lines: Lines,
  { old_text: old, new_text: now, all }: Edit,
): { found: Place[]; old: string; now: string; mend?: Mend } {
  const exactPlaces = placesOf(lines, old);
  if (exactPlaces.length > 0) return { found: exactPlaces, old, now };
  for (const mend of MENDS) {
    const mended = mend.undo({ old: splitLines(old), now: splitLines(now) });
    if (!mended) continue;
    const [from, to] = [mended.old.join('\n'), mended.now.join('\n')];
    const places = placesOf(lines, from);
    const meant = places.filter(({ start }) => lines.numberAt(start) === mended.first);
    if (places.length > 0) return { found: meant.length === 1 && !all ? meant : places, old: from, now: to, mend };
  }
  return { found: exactPlaces, old, now };
}

/** Builds the error for an edit whose passage was not found. */
function missingPassageError(lines: Lines, edits: readonly Edit[], index: number, path: string): string {
  const { old_text, new_text } = edits[index] as Edit;
  const what = `of edit ${index + 1}`;
  const producer = edits.findIndex((other) => other.new_text.includes(old_text));
  if (producer >= 0 && producer !== index)
    return `old_text ${what} is only in new_text of edit ${producer + 1}. All edits refer to ${path} as it is now. Join the two edits.`;
  const isLong = new_text.trim().length >= MIN_DONE || /[\r\n]/.test(new_text.trim());
  const [done] = isLong ? placesOf(lines, new_text) : [];
  if (done && !isUndone(lines, done, splitLines(old_text), splitLines(new_text)))
    return appliedAlready(lines, done, `old_text ${what}`, path);
  return notFound(lines, splitLines(old_text), `old_text ${what}`, path);
}

function replacementOf(lines: Lines, place: Place, old: string, now: string, ops = opsOf(old, now)): string | undefined {
  if (!place.rule) return withFileLineBreaks(lines, place, old, now);
  // The file lacks the last line break of the passage, so the change is rendered without it.
  return render(lines, place, place.atEnd ? opsOf(withoutBreak(old), withoutBreak(now)) : ops);
}

function withoutBreak(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/** Returns the whitespace between the start of the line and the offset, or '' when other characters precede the offset. */
function indentBefore(lines: Lines, offset: number): string {
  const line = lines.numberAt(offset) - 1;
  const indent = lines.folded(indentOf)[line] as string;
  const width = offset - lines.start(line);
  return width <= indent.length ? indent.slice(0, width) : '';
}

/**
 * Extends a passage to whole lines if it begins inside the indentation of its first line and ends at the end of a line, so that the
 * replacement is indented like these lines.
 */
function asLines(text: string, place: Place, indent: string, old: string): Place {
  const endsThere = /[\r\n]$/.test(old) || place.end === text.length || /[\r\n]/.test(text[place.end] as string);
  if (place.rule?.wholeLines || indent === '' || !endsThere) return place;
  return { ...place, start: place.start - indent.length, rule: byLines(place.rule) };
}

/**
 * Returns true if the indentation of the new lines must be determined. This is not necessary if both texts begin with a word and the
 * passage has further lines, which show that it was copied with its indentation.
 */
function isAboutIndentation(old: string, now: string): boolean {
  const endsLine = /[\r\n]$/.test(old);
  if (/^[ \t]+[^ \t\r\n]/.test(old)) return endsLine || /[\r\n]/.test(now);
  if (/^[ \t\r\n]/.test(old)) return false;
  return /^[ \t]+[^ \t\r\n]/.test(now) || (!/[\r\n]/.test(old.trimEnd()) && (/[\r\n]/.test(now.trimEnd()) || (endsLine && now === '')));
}

/**
 * Returns true if only the new text includes the indentation of the first line, which would then be doubled. If the texts differ only in
 * this whitespace, the model wants to indent the line further.
 */
function isTrimmedInOldOnly(indent: string, old: string, now: string): boolean {
  return (
    indent !== '' && !/^[ \t\r\n]/.test(old) && indentOf(now) === indent && now.length > indent.length && now.slice(indent.length) !== old
  );
}

/**
 * Converts the line breaks of the new text to those of the file, because models write \n,
 * unless the edit itself changes line endings.
 */
function withFileLineBreaks(lines: Lines, { start, end }: Place, old: string, now: string): string {
  if (!/[\r\n]/.test(now) || (old.includes('\r') && (now.includes('\r') || withNewlines(old) === now))) return now;
  const ending = old.includes('\r\n') ? '\r\n' : /[\r\n]/.exec(old)?.[0];
  if (!ending && lines.count === 1) return now;
  return now.replace(/\r\n|\n|\r/g, ending ?? lines.endingNear(end > start ? end : start));
}

function withNewlines(text: string): string {
  return text.replace(/\r\n|\r/g, '\n');
}

/** Drops each place that overlaps the previous place. */
function withoutOverlaps(places: readonly Place[]): Place[] {
  const chosen: Place[] = [];
  for (const place of places) if (place.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(place);
  return chosen;
}
