/** Applies the hunks of one file as one; pure. A hunk must have one place: headers and the order of hunks say which, likeness never does. */
import { ToolError } from '../../../core/run/tool.ts';
import { withoutHabits } from '../replace/copying-habits.ts';
import { MENDS, type Mend } from '../replace/copying-slips.ts';
import { elisionIn } from '../replace/elision.ts';
import { appliedAlready, isUndone, leavesOut, notFound, occursAt, unclearIndentation } from '../replace/errors.ts';
import { Lines, lastAtMost } from '../replace/lines.ts';
import { EXACT, indentOf, LOOSER, linePlaces, type Place, type Scope, withinAny } from '../replace/match.ts';
import { BORDER, type Op, render } from '../replace/render.ts';
import { type Span, splice, withoutMark } from '../replace/replace.ts';
import type { Hunk } from './parse.ts';

/** @throws ToolError, naming lines, when a hunk has no place, or more than one. */
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
  if (text === lines.text) throw new ToolError(`The patch would leave ${path} as it is.`);
  // Where the last line is gone that had no line break, the one before it has none.
  const isEndGone = spans.some((span) => span.atEnd && span.text === '');
  return { text: mark + (isEndGone ? text.replace(/(\r\n|\n|\r)$/, '') : text), notes };
}

/** @throws ToolError where added lines leave out code, which would be lost. */
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
    const found = placesIn(lines, { ...hunk, ops: mended.ops }, blocks, after);
    const places = mended.first === undefined ? found : preferred(found, ({ line }) => line + 1 === mended.first);
    const [place] = places;
    if (!place) continue;
    // Of several places below one header, the nearest is meant.
    if (places.length > 1 && blocks?.length !== 1) {
      const advice = 'Give more lines of context, or a header that is there once: @@ line above it.';
      throw new ToolError(`${what} ${occursAt(lines, places, path, advice)}`);
    }
    const located = trimmed(lines, place, mended.ops, unsigned !== undefined);
    if (!located) throw new ToolError(unclearIndentation(lines, place, what, path));
    const nearest = places.length > 1 ? 'the same lines further down' : undefined;
    const ignores = [mend?.ignores, located.place.rule?.ignores, nearest].flatMap((each) => each ?? []).join(' and ');
    return ignores ? { ...located, ignores } : located;
  }
  throw new ToolError(unsigned ?? missing(lines, hunk, what, path));
}

function oldLines(ops: readonly Op[]): string[] {
  return ops.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

/** The places of the hunk's lines. Headers, the order of hunks and the end of the file decide between several. */
function placesIn(lines: Lines, { ops, endOfFile }: Hunk, blocks: readonly Scope[] | undefined, after: number): LinePlace[] {
  const old = oldLines(ops);
  const headers = blocks?.map(({ from }) => from) ?? [];
  let places = linePlaces(lines, old, blocks ?? [{ from: 0, to: lines.full }]);
  // Where a text is not indented by its blocks, what a header leads is what follows it.
  if (places.length === 0 && blocks) {
    const scopes = blocks.map(({ from }) => ({ from, to: lines.full }));
    places = linePlaces(lines, old, scopes);
    const next = places.filter(({ line }) => headers[lastAtMost(headers, line - 1)] === line - 1);
    if (next.length === 1) places = next;
  }
  // The context may begin above the header that it is said to be in.
  if (places.length === 0 && blocks) {
    const around = linePlaces(lines, old, [{ from: 0, to: lines.full }]);
    places = around.filter(({ line }) => (headers[lastAtMost(headers, line + old.length - 1)] ?? -1) >= line);
  }
  if (endOfFile) places = preferred(places, ({ end }) => end === lines.text.length);
  return places.length > 1 && after > 0 ? preferred(places, ({ start }) => start >= after) : places;
}

/** The ops without this slip; undefined where they do not have it. */
function mendedOps(ops: readonly Op[], mend: Mend): { ops: Op[]; first?: number } | undefined {
  const old = oldLines(ops);
  const now = ops.filter(({ sign }) => sign === '+').map(({ text }) => text);
  const mended = mend.undo({ old, now });
  if (!mended) return undefined;
  // Lines are only ever removed from the beginning.
  let [skipOld, skipNow] = [old.length - mended.old.length, now.length - mended.now.length];
  const [from, to] = [[...mended.old], [...mended.now]];
  const result = ops.flatMap(({ sign }): Op[] => {
    if (sign === '+') return skipNow-- > 0 ? [] : [{ sign, text: to.shift() ?? '' }];
    return skipOld-- > 0 ? [] : [{ sign, text: from.shift() ?? '' }];
  });
  return { ops: result, ...(mended.first !== undefined && { first: mended.first }) };
}

function missing(lines: Lines, { headers, ops }: Hunk, what: string, path: string): string {
  const old = oldLines(ops);
  const now = ops.filter(({ sign }) => sign !== '-').map(({ text }) => text);
  const known = new Set(old);
  const [done] = now.some((line) => !known.has(line)) ? linePlaces(lines, now, [{ from: 0, to: lines.full }]) : [];
  if (done && !isUndone(lines, done, old, now)) return appliedAlready(lines, done, what, path);
  return notFound(lines, old, `${what}${headers.length > 0 ? `, after @@ ${headers.join(' @@ ')},` : ''}`, path);
}

/** Those of a kind, if there is any. */
function preferred<T>(all: readonly T[], kind: (each: T) => boolean): T[] {
  const some = all.filter(kind);
  return some.length > 0 ? some : [...all];
}

/**
 * Without the context around the change, so that hunks may share it; it is needed only to see how lines are indented. undefined where the lines
 * that are added can be meant in two ways.
 */
function trimmed(lines: Lines, found: LinePlace, written: readonly Op[], lacksSigns: boolean): Located | undefined {
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

/** The lines of the file that the hunk's lines stand for. */
function linesAt(lines: Lines, { line }: LinePlace, ops: readonly Op[]): string[] {
  return oldLines(ops).map((_, index) => lines.line(line + index));
}

/**
 * Models sometimes leave out the blank that marks a context line. Where all context lines lack it, and other lines show that they are indented
 * like that, the match is exact. It could also be that all lines have one blank too few: the other lines then show that, or nothing can be known.
 * `lacksSigns`: a line that is not indented had no sign.
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

/** The stars of a doc comment stand between the columns of the code. */
function indentOfKind(line: string): string {
  return indentOf(line) + (/^\s*\*/.test(line) ? '*' : '');
}

/** Lines that are only added stand below the header, or at the end of the file. */
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

/** The blocks that the headers lead to, from the outer to the inner: each header's line and what is indented below it, in the order of the lines. */
function blocksOf(lines: Lines, headers: readonly string[], what: string, path: string): Scope[] {
  let scopes: Scope[] = [{ from: 0, to: lines.full }];
  for (const header of headers) {
    const found = headerLines(lines, header);
    const isWithin = withinAny(scopes);
    const inside = found.filter((line) => isWithin(line, line + 1));
    const below = inside.length > 0 ? inside : found.filter((line) => line >= (scopes[0] as Scope).from);
    if (below.length === 0) throw new ToolError(notFound(lines, [header], `The header of ${lower(what)}, @@ ${header},`, path));
    scopes = blocksAt(lines, below);
  }
  return scopes;
}

/** A header may be a part of its line. */
function headerLines(lines: Lines, header: string): number[] {
  for (const { fold } of [EXACT, ...LOOSER]) {
    const wanted = fold(header);
    const found = lines.folded(fold).flatMap((line, index) => (line === wanted ? [index] : []));
    if (found.length > 0) return found;
  }
  const { fold } = LOOSER.at(-1) as (typeof LOOSER)[number];
  const part = fold(header);
  return lines.folded(fold).flatMap((line, index) => (line.includes(part) ? [index] : []));
}

/**
 * The blocks of these header lines, which must be sorted. A block ends before the next line that is indented no deeper than its header. Going from the
 * bottom, only lines that are less indented than all between them and the header have to be remembered.
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
    // Brackets of the block itself stand as deep as its header.
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
