/**
 * Applies all hunks of one file together. Each hunk must match at exactly one place. Headers and the order of hunks can select one of
 * several matches, but similarity is never used.
 */
import { ToolError } from '../../../core/run/tool.ts';
import { withoutHabits } from '../replace/copying-habits.ts';
import { MENDS, type Mend } from '../replace/copying-slips.ts';
import { elisionIn } from '../replace/elision.ts';
import { appliedAlready, isUndone, leavesOut, notFound, occursAt, unclearIndentation } from '../replace/errors.ts';
import { Lines, lastAtMost } from '../replace/lines.ts';
import { EXACT, indentOf, LOOSER, linePlaces, type Place, type Scope, withinAny } from '../replace/match.ts';
import type { Op } from '../replace/op.ts';
import { BORDER, render } from '../replace/render.ts';
import { type Span, splice, withoutMark } from '../replace/replace.ts';
import type { Hunk } from './parse.ts';

/** @throws ToolError, with line numbers, when a hunk matches nowhere or at several places. */
export function applyHunks(original: string, hunks: readonly Hunk[], path: string): { text: string; notes: string[] } {
  const [mark, lines] = withoutMark(original);
  const spans: (Span & { atEnd?: boolean })[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const name = `The ${index === 0 && hunks.length === 1 ? 'hunk' : `${ordinal(index + 1)} hunk`}`;
    const { place, ops, ignores } = locate(lines, hunk, from, name, path);
    const replacement = render(lines, place, ops, true);
    if (replacement === undefined) throw new ToolError(unclearIndentation(lines, place, name, path));
    spans.push({ ...place, text: replacement, what: `hunk ${index + 1}`, ignores });
    from = Math.max(from, place.end);
  }
  const { text: spliced, notes } = splice(lines, spans, path);
  const isOpen = hunks.some(({ closesFile }) => closesFile) && !/[\r\n]$/.test(spliced) && spliced !== '';
  const text = isOpen ? spliced + new Lines(spliced).endingNear(spliced.length) : spliced;
  if (text === lines.text) throw new ToolError(`The patch changes nothing in ${path}. Read the file again.`);
  // When the patch removes a last line that had no line break, the new last line has no line break either.
  const isEndGone = spans.some((span) => span.atEnd && span.text === '');
  return { text: mark + (isEndGone ? text.replace(/(\r\n|\n|\r)$/, '') : text), notes };
}

/** @throws ToolError when added lines contain a placeholder for omitted code, which would be lost. */
export function expectWholeHunks(hunks: readonly Hunk[], path: string): void {
  const linesWith = (signs: string) =>
    hunks.flatMap(({ ops }) => ops.filter(({ sign }) => signs.includes(sign)).map(({ text }) => text)).join('\n');
  const elision = elisionIn(linesWith('+'), linesWith(' -'), path);
  if (elision !== undefined) throw new ToolError(leavesOut('The patch', elision));
}

type Located = { place: Place; ops: Op[]; ignores?: string };
type LinePlace = Place & { line: number };

function locate(lines: Lines, hunk: Hunk, after: number, what: string, path: string): Located {
  const { headers, ops, unsigned } = hunk;
  const blocks = headers.length > 0 ? blocksOf(lines, headers, what, path) : undefined;
  if (oldLines(ops).length === 0) return insertion(lines, ops, blocks, what, path);
  for (const mend of [undefined, ...MENDS]) {
    const mended = mend ? mendedOps(ops, mend) : { ops };
    if (!mended) continue;
    const matches = placesIn(lines, { ...hunk, ops: mended.ops }, blocks, after);
    const places = mended.first === undefined ? matches : preferred(matches, ({ line }) => line + 1 === mended.first);
    const [place] = places;
    if (!place) continue;
    // Among several matches below a single header, the nearest one is used.
    if (places.length > 1 && blocks?.length !== 1) {
      const advice = 'Give more lines of context, or a header with a line above the hunk that occurs once: @@ line.';
      throw new ToolError(`${what} ${occursAt(lines, places, path, advice)}`);
    }
    const located = withoutContext(lines, place, mended.ops, unsigned !== undefined);
    if (!located) throw new ToolError(unclearIndentation(lines, place, what, path));
    const nearest = places.length > 1 ? 'the same lines further down' : undefined;
    const ignores = [mend?.ignores, located.place.rule?.ignores, nearest].flatMap((each) => each ?? []).join(' and ');
    return ignores ? { ...located, ignores } : located;
  }
  throw new ToolError(unsigned ?? missingHunkError(lines, hunk, what, path));
}

function oldLines(ops: readonly Op[]): string[] {
  return ops.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

/** Finds all matches of the hunk's lines. Headers, the order of hunks and the end of the file narrow them down. */
function placesIn(lines: Lines, { ops, endOfFile }: Hunk, blocks: readonly Scope[] | undefined, after: number): LinePlace[] {
  const old = oldLines(ops);
  const headers = blocks?.map(({ from }) => from) ?? [];
  let places = linePlaces(lines, old, blocks ?? [{ from: 0, to: lines.full }]);
  // In a text that is not indented by blocks, a header refers to the lines that follow it.
  if (places.length === 0 && blocks) {
    const scopes = blocks.map(({ from }) => ({ from, to: lines.full }));
    places = linePlaces(lines, old, scopes);
    const next = places.filter(({ line }) => headers[lastAtMost(headers, line - 1)] === line - 1);
    if (next.length === 1) places = next;
  }
  // The context may begin above the line that the header names.
  if (places.length === 0 && blocks) {
    const around = linePlaces(lines, old, [{ from: 0, to: lines.full }]);
    places = around.filter(({ line }) => (headers[lastAtMost(headers, line + old.length - 1)] ?? -1) >= line);
  }
  if (endOfFile) places = preferred(places, ({ end }) => end === lines.text.length);
  return places.length > 1 && after > 0 ? preferred(places, ({ start }) => start >= after) : places;
}

/**
 * Undoes a copying mistake in the hunk. Returns undefined when the hunk does not contain the mistake. `first` is the line number that the
 * model copied with the first line.
 */
function mendedOps(ops: readonly Op[], mend: Mend): { ops: Op[]; first?: number } | undefined {
  const old = oldLines(ops);
  const now = ops.filter(({ sign }) => sign === '+').map(({ text }) => text);
  const mended = mend.undo({ old, now });
  if (!mended) return undefined;
  // A correction removes lines only at the beginning.
  let [skipOld, skipNow] = [old.length - mended.old.length, now.length - mended.now.length];
  const [from, to] = [[...mended.old], [...mended.now]];
  const result = ops.flatMap(({ sign }): Op[] => {
    if (sign === '+') return skipNow-- > 0 ? [] : [{ sign, text: to.shift() ?? '' }];
    return skipOld-- > 0 ? [] : [{ sign, text: from.shift() ?? '' }];
  });
  return { ops: result, ...(mended.first !== undefined && { first: mended.first }) };
}

function missingHunkError(lines: Lines, { headers, ops }: Hunk, what: string, path: string): string {
  const old = oldLines(ops);
  const now = ops.filter(({ sign }) => sign !== '-').map(({ text }) => text);
  const oldSet = new Set(old);
  const [done] = now.some((line) => !oldSet.has(line)) ? linePlaces(lines, now, [{ from: 0, to: lines.full }]) : [];
  if (done && !isUndone(lines, done, old, now)) return appliedAlready(lines, done, what, path);
  return notFound(lines, old, `${what}${headers.length > 0 ? `, after @@ ${headers.join(' @@ ')},` : ''}`, path);
}

/** Returns the elements that satisfy the predicate, or all elements if none does. */
function preferred<T>(all: readonly T[], kind: (each: T) => boolean): T[] {
  const some = all.filter(kind);
  return some.length > 0 ? some : [...all];
}

/**
 * Drops the context around the change, so that hunks may share it. The context only serves to determine the indentation. Returns undefined
 * when the indentation of the added lines is ambiguous.
 */
function withoutContext(lines: Lines, found: LinePlace, written: readonly Op[], lacksSigns: boolean): Located | undefined {
  const read = withBlankSigns(lines, found, written, lacksSigns);
  if (!read) return undefined;
  const { place, ops: signed } = read;
  const ops = place.rule ? withoutHabits(linesAt(lines, found, written), signed) : signed;
  if (place.atEnd) return { place, ops: [...ops] };
  if (place.rule?.wholeLines) return { place, ops: [...ops, BORDER] };
  const first = ops.findIndex(({ sign }) => sign !== ' ');
  const last = ops.findLastIndex(({ sign }) => sign !== ' ');
  if (last < 0) return { place: { ...place, end: place.start }, ops: [BORDER] };
  const behind = ops.length - 1 - last;
  const height = oldLines(ops).length;
  const start = lines.start(place.line + first);
  const end = lines.start(place.line + height - behind);
  return { place: { ...place, start, end }, ops: [...ops.slice(first, last + 1), BORDER] };
}

/** Returns the lines of the file that the hunk matched. */
function linesAt(lines: Lines, { line }: LinePlace, ops: readonly Op[]): string[] {
  return oldLines(ops).map((_, index) => lines.line(line + index));
}

/**
 * Corrects a hunk in which all context lines lack the space that marks a context line. The match counts as exact if the added and removed
 * lines show that the context has the indentation of the file. It is also possible that all lines have one space too few: returns undefined
 * if the added and removed lines do not rule this out. `lacksSigns` is true when an unindented line had no sign.
 */
function withBlankSigns(
  lines: Lines,
  place: LinePlace,
  ops: readonly Op[],
  lacksSigns: boolean,
): { place: LinePlace; ops: readonly Op[] } | undefined {
  const { rule, ...exact } = place;
  if (!rule?.wholeLines) return { place, ops };
  const indents = new Set(ops.flatMap(({ sign, text }) => (sign === ' ' || text.trim() === '' ? [] : indentOfKind(text))));
  const own = new Set<string>();
  let line = place.line;
  for (const { sign, text } of ops) {
    if (sign === '+') continue;
    const there = lines.line(line++);
    const isOutside = lacksSigns && there === text && indentOf(text) === '';
    if (text.trim() === '' ? there.trim() !== '' : !isOutside && there !== (sign === ' ' ? ` ${text}` : text)) return { place, ops };
    if (sign === ' ' && text.trim() !== '') own.add(indentOfKind(there));
  }
  let at = place.line;
  const unmarked = { place: exact, ops: ops.map((op) => (op.sign === '+' ? op : { ...op, text: lines.line(at++) })) };
  if (![...indents].some((indent) => indent !== '' && own.has(indent))) return { place, ops };
  if (lacksSigns || ![...indents].some((indent) => own.has(` ${indent}`))) return unmarked;
  const [outer = ''] = [...indents].toSorted((a, b) => a.length - b.length);
  if (own.has(outer) === own.has(` ${outer}`)) return undefined;
  return own.has(outer) ? unmarked : { place, ops };
}

/** Returns the indentation, with a star for lines of a doc comment, which are indented by one more space than the code. */
function indentOfKind(line: string): string {
  return indentOf(line) + (/^\s*\*/.test(line) ? '*' : '');
}

/** Locates added lines without context: they are inserted below the header, or at the end of the file. */
function insertion(lines: Lines, ops: readonly Op[], blocks: readonly Scope[] | undefined, what: string, path: string): Located {
  if (blocks && blocks.length > 1) {
    const places = blocks.map(({ from }) => ({ start: lines.start(from), end: lines.start(from) }));
    throw new ToolError(`The header of ${lower(what)} ${occursAt(lines, places, path, 'Give lines of context.')}`);
  }
  const line = blocks?.[0] ? blocks[0].from + 1 : lines.full;
  const at = lines.text === '' ? 0 : lines.start(line);
  const open = at === lines.text.length && lines.text !== '' && !/[\r\n]$/.test(lines.text);
  return { place: { start: at, end: at }, ops: open ? [BORDER, ...ops] : [...ops, BORDER] };
}

/**
 * Finds the blocks that the headers name, from the outer to the inner one. A block is the header line with the lines indented below it.
 * @throws ToolError when a header does not exist.
 */
function blocksOf(lines: Lines, headers: readonly string[], what: string, path: string): Scope[] {
  let scopes: Scope[] = [{ from: 0, to: lines.full }];
  for (const header of headers) {
    const headerMatches = headerLines(lines, header);
    const isWithin = withinAny(scopes);
    const inside = headerMatches.filter((line) => isWithin(line, line + 1));
    const below = inside.length > 0 ? inside : headerMatches.filter((line) => line >= (scopes[0] as Scope).from);
    if (below.length === 0) throw new ToolError(notFound(lines, [header], `The header of ${lower(what)}, @@ ${header},`, path));
    scopes = blocksAt(lines, below);
  }
  return scopes;
}

/** Finds the lines that equal the header or, failing that, contain it. */
function headerLines(lines: Lines, header: string): number[] {
  for (const { fold } of [EXACT, ...LOOSER]) {
    const wanted = fold(header);
    const indices = lines.folded(fold).flatMap((line, index) => (line === wanted ? [index] : []));
    if (indices.length > 0) return indices;
  }
  const { fold } = LOOSER.at(-1) as (typeof LOOSER)[number];
  const part = fold(header);
  return lines.folded(fold).flatMap((line, index) => (line.includes(part) ? [index] : []));
}

/**
 * Returns the blocks of these header lines, which must be sorted. A block ends before the next line that is indented no deeper than its
 * header. The scan from the bottom keeps a stack of the lines that can end a block.
 */
function blocksAt(lines: Lines, headers: readonly number[]): Scope[] {
  const blocks: Scope[] = [];
  const [depths, ends]: [number[], number[]] = [[], []];
  let at = lines.full;
  for (const from of headers.toReversed()) {
    while (--at > from) remember(at);
    const depth = indentOf(lines.line(from)).length;
    blocks.push({ from, to: ends[lastAtMost(depths, depth)] ?? lines.full });
    remember(from);
  }
  return blocks.reverse();

  function remember(index: number): void {
    const line = lines.line(index);
    // A closing bracket of the block is indented like its header and does not end it.
    if (line.trim() === '' || /^\s*[)\]}{]/.test(line)) return;
    const depth = indentOf(line).length;
    while ((depths.at(-1) ?? -1) >= depth) {
      depths.pop();
      ends.pop();
    }
    depths.push(depth);
    ends.push(index);
  }
}

function ordinal(count: number): string {
  return ['first', 'second', 'third'][count - 1] ?? `${count}th`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
