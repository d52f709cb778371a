/**
 * Finds the places of a passage in a text. Rules are tried from strict to loose, and the first rule with a match decides. Rules match or do
 * not match; there is no similarity score.
 */
import { ToolError } from '../../../core/run/tool.ts';
import { type Lines, lastAtMost } from './lines.ts';

export type Rule = {
  /** The differences that the rule ignores, for messages to the model. */
  ignores: string;
  /** Returns the part of a line that is compared. Unless `wholeLines` is set, it may only cut off the end or replace single characters. */
  fold(line: string): string;
  /** Whether complete lines are compared. New lines are then indented like the file. */
  wholeLines: boolean;
  /** Whether typographic characters match their plain forms. The edit keeps the characters of the file in parts of a line that it does not change. */
  isTypographic?: boolean;
};

/** `rule` is undefined for an exact match. `atEnd` is true when the passage ends with a line break that the text lacks at its end. */
export type Place = { start: number; end: number; rule?: Rule; atEnd?: boolean };

const SINGLE = /[\u2018\u2019\u201A\u201B\u02BC\u2032]/g;
const DOUBLE = /[\u201C\u201D\u201E\u201F\u2033]/g;
const DASH = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g;
const SPACE = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;

const plainQuotes = (line: string) => line.replace(SINGLE, "'").replace(DOUBLE, '"');
const plainDashes = (line: string) => line.replace(DASH, '-');
const plainSpaces = (line: string) => line.replace(SPACE, ' ');
/** Each function replaces one kind of typographic characters with plain ones. */
export const PLAINLY: readonly ((line: string) => string)[] = [plainQuotes, plainDashes, plainSpaces];
const plain = (line: string) => PLAINLY.reduce((text, plainly) => plainly(text), line);

export function withoutTrailing(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

export function indentOf(line: string): string {
  let end = 0;
  while (line[end] === ' ' || line[end] === '\t') end++;
  return line.slice(0, end);
}

const withoutBlanks = (line: string) => withoutTrailing(line.slice(indentOf(line).length));

export const EXACT: Rule = { ignores: 'nothing', fold: (line) => line, wholeLines: false };
const INDENTATION: Rule = { ignores: 'indentation', fold: withoutBlanks, wholeLines: true };
export const LOOSER: readonly Rule[] = [
  { ignores: 'line endings and trailing spaces', fold: withoutTrailing, wholeLines: false },
  INDENTATION,
  {
    ignores: 'typographic quotes, dashes and spaces',
    fold: (line) => withoutTrailing(plain(line)),
    wholeLines: false,
    isTypographic: true,
  },
  {
    ignores: 'indentation and typographic quotes, dashes and spaces',
    fold: (line) => withoutBlanks(plain(line)),
    wholeLines: true,
    isTypographic: true,
  },
];

/** Returns the first looser rule that also ignores indentation. */
export function byLines(rule: Rule = EXACT): Rule {
  return LOOSER.find(({ wholeLines }, index) => wholeLines && index > LOOSER.indexOf(rule)) ?? INDENTATION;
}

/** The maximum number of matches. A large file can contain a short passage millions of times, and users could not review more matches. */
const MAX_PLACES = 100_000;

/** @throws ToolError when there are too many places. */
function addPlace<T extends Place>(places: T[], place: T): void {
  if (places.length === MAX_PLACES)
    throw new ToolError(`The passage occurs more than ${MAX_PLACES.toLocaleString('en')} times. Give more lines around it.`);
  places.push(place);
}

/**
 * Finds all places of a passage by the first rule that matches anywhere. Overlapping places count separately, because either could be
 * meant. @throws ToolError when there are too many.
 */
export function placesOf(lines: Lines, passage: string): Place[] {
  if (lines.text.includes(passage)) {
    const places: Place[] = [];
    for (let at = lines.text.indexOf(passage); at >= 0; at = lines.text.indexOf(passage, at + 1))
      addPlace(places, { start: at, end: at + passage.length });
    return places;
  }
  const pieces = passage.split(/\r\n|\n|\r/);
  if (pieces.every((piece) => piece.trim() === '')) return [];
  for (const rule of LOOSER) {
    const places = placesBy(rule, lines, pieces);
    if (places.length > 0) return places;
  }
  return [];
}

/** Lines from the index `from` up to, but not including, the index `to`. */
export type Scope = { from: number; to: number };

/** Returns a predicate for ranges of lines: whether a range is inside one of these scopes. */
export function withinAny(scopes: readonly Scope[]): (from: number, to: number) => boolean {
  const sorted = scopes.toSorted((a, b) => a.from - b.from);
  const starts = sorted.map(({ from }) => from);
  let most = 0;
  // Only the scope that ends last has to be checked among those that begin before the range.
  const ends = sorted.map(({ to }) => (most = Math.max(most, to)));
  return (from, to) => to <= (ends[lastAtMost(starts, from)] ?? -1);
}

/** Finds whole lines with their line breaks inside any of these scopes, like `placesOf`. `line` is the index of the first line. */
export function linePlaces(lines: Lines, wanted: readonly string[], scopes: readonly Scope[]): (Place & { line: number })[] {
  const isWithin = withinAny(scopes);
  const blank = wanted.every((line) => line.trim() === '');
  for (const rule of blank ? [EXACT] : [EXACT, ...LOOSER]) {
    const places: (Place & { line: number })[] = [];
    const folded = lines.folded(rule.fold);
    for (const line of runsOf(folded, wanted.map(rule.fold))) {
      const next = line + wanted.length;
      if (next > lines.full) break;
      if (!isWithin(line, next)) continue;
      const place = { line, start: lines.start(line), end: lines.start(next) };
      addPlace(places, { ...place, ...(rule !== EXACT && { rule }), ...(next >= lines.count && { atEnd: true }) });
    }
    if (places.length > 0) return places;
  }
  return [];
}

/**
 * Returns the lines at which the passage may begin, because its inner lines follow. `open` is the line at which it may begin if the text
 * lacks the line break at the end of the passage.
 */
function startsOf(folded: readonly string[], wanted: readonly string[], open: number): readonly number[] {
  const inner = wanted.slice(1, -1);
  const starts = inner.length > 0 ? runsOf(folded, inner).map((index) => index - 1) : [...folded.keys()];
  const isOpen = open >= 0 && wanted.slice(1, -2).every((line, index) => line === folded[open + 1 + index]);
  return isOpen ? [...starts.filter((index) => index !== open), open] : starts;
}

/** Returns the indices at which `wanted` occurs in `lines`, in linear time (Knuth, Morris and Pratt). */
function runsOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const back = [0];
  for (let index = 1, length = 0; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = back[length - 1] as number;
    if (wanted[index] === wanted[length]) length++;
    back.push(length);
  }
  const runs: number[] = [];
  for (let index = 0, length = 0; index < lines.length; index++) {
    while (length > 0 && (length === wanted.length || lines[index] !== wanted[length])) length = back[length - 1] as number;
    if (lines[index] === wanted[length]) length++;
    if (length === wanted.length) runs.push(index + 1 - length);
  }
  return runs;
}

/** Finds the matches of a rule. The first and the last piece may be parts of lines. An empty piece is the border between two lines. */
function placesBy(rule: Rule, lines: Lines, pieces: readonly string[]): Place[] {
  const places: Place[] = [];
  const wanted = pieces.map(rule.fold);
  const folded = lines.folded(rule.fold);
  const [first, last] = [wanted[0] as string, wanted.at(-1) as string];
  const toBorder = pieces.length > 1 && last === '';
  const fromBorder = pieces.length > 1 && first === '';
  // When the text lacks the last line break, it has one line less than the passage.
  const open = toBorder ? lines.count - pieces.length + 1 : -1;
  for (const index of startsOf(folded, wanted, open)) {
    const atEnd = index === open;
    const count = atEnd ? pieces.length - 1 : pieces.length;
    if (index < 0 || index + count > lines.count) continue;
    const end = index + count - 1;
    const line = folded[index] as string;
    const lastLine = folded[end] as string;
    const endsThere = atEnd || withoutTrailing(pieces[count - 1] as string) !== pieces[count - 1];
    const target = { rule, ...(atEnd && { atEnd }) };
    if (count === 1 && !rule.wholeLines) {
      const start = lines.start(index);
      if (endsThere && line.endsWith(first))
        addPlace(places, { start: start + line.length - first.length, end: atEnd ? lines.end(index) : start + line.length, ...target });
      for (let at = endsThere ? -1 : line.indexOf(first); at >= 0; at = line.indexOf(first, at + 1))
        addPlace(places, { start: start + at, end: start + at + first.length, ...target });
      continue;
    }
    const begins = rule.wholeLines ? fromBorder || line === first : line.endsWith(first);
    if (!begins) continue;
    if (count > 1) {
      const closing = wanted[count - 1] as string;
      const closes = rule.wholeLines
        ? (toBorder && !atEnd) || lastLine === closing
        : endsThere
          ? lastLine === closing
          : lastLine.startsWith(closing);
      if (!closes) continue;
    }
    const start = !rule.wholeLines ? lines.start(index) + line.length - first.length : fromBorder ? lines.end(index) : lines.start(index);
    const stop = atEnd
      ? lines.end(end)
      : rule.wholeLines && !toBorder
        ? lines.end(end)
        : lines.start(end) + (rule.wholeLines ? 0 : (wanted[count - 1] as string).length);
    addPlace(places, { start, end: stop, ...target });
  }
  return places;
}
