/**
 * Compares the places of documents that a text cites with the passages that the model has received. A place that was not opened is removed,
 * and a range of which only a part was opened is shortened to that part. This also works while the text arrives.
 */
import { escapeRegex } from '../../core/escape-regex.ts';
import type { EventList } from '../../core/session/lists.ts';
import { type Citation, citationsIn } from '../../documents/citations.ts';
import { REMOVED } from './checked-answer.ts';
import { openedTexts } from './workspace-evidence.ts';

/** A passage that the model has received. */
export type Passage = Citation & { text: string };

/** The tools whose results consist of passages. In other results, text of a document could look like a passage. */
const READING = new Set(['documents_search', 'documents_get_section', 'documents_get_document']);

/** Returns the passages that the model has received in this session. */
export function passagesIn(events: EventList): Passage[] {
  return [...openedTexts(events, (name) => READING.has(name))].flatMap(({ text }) => citationsIn(text));
}

const PLACE = String.raw`(?::(p\d+|s\d+|\d+(?:[-–]\d+)?|[^:\]\n]*!\d+(?:[-–]\d+)?))?`;
const NAME_END = String.raw`(?![\p{L}\p{N}_/@~%#&=+-]|[.!?][\p{L}\p{N}/])`;
/** The longest place after the name of a document that is waited for. Names of sheets have at most 31 characters. */
const LONGEST_PLACE = 60;
const LONGEST_NAME = 4_096;

export function keyOf({ collection, document }: Citation): string {
  return `${collection}/${document}`;
}

export function placeKey(passage: Citation): string {
  return `${keyOf(passage)}:${passage.place}`;
}

/** Checks one text. The fields say what was found in the text so far. */
export class CitationChecker {
  readonly cited: Passage[] = [];
  readonly dropped: string[] = [];
  /** The ranges that were shortened, such as `handbook/deploy.md:12-40 to 12-18`. */
  readonly shortened: string[] = [];
  readonly #given: ConstructorParameters<typeof CitationChecker>;
  readonly #opened = new Map<string, Passage[]>();
  readonly #places: RegExp | undefined;
  readonly #beginnings: readonly string[];
  readonly #reach: number;
  #held = '';
  /** The last character that was returned. */
  #last = '';

  /** @param names the names of the collections that can be cited */
  constructor(opened: readonly Passage[], names: readonly string[]) {
    this.#given = [opened, names];
    for (const passage of opened) {
      const passages = this.#opened.get(keyOf(passage)) ?? [];
      passages.push(passage);
      this.#opened.set(keyOf(passage), passages);
    }
    // A name that goes on is another name: `deploy.md.old` is not `deploy.md`.
    const keys = [...this.#opened.keys()].sort((a, b) => b.length - a.length);
    const known = keys.map((key) => `${escapeRegex(key)}${NAME_END}`);
    const others = names.map((name) => String.raw`${escapeRegex(name)}\/(?:[^\s\[\]()<>"'\x60,;:]|:(?=\/\/|\d+\/))+`);
    const all = [...known, ...others].join('|');
    this.#places = all === '' ? undefined : new RegExp(String.raw`(?<![\w/@~-])(${all})${PLACE}`, 'gu');
    this.#beginnings = [...new Set([...names, ...opened.map(({ collection }) => collection)])].map((name) => `${name}/`);
    this.#reach = (keys[0]?.length ?? 0) + LONGEST_PLACE;
  }

  /** Returns a checker for another text. */
  copy(): CitationChecker {
    return new CitationChecker(...this.#given);
  }

  /** Returns the text without the places that were not opened. */
  check(text: string): string {
    return this.#checked(text, [...this.#matches(text)]);
  }

  /** Like `check`, for a text that arrives in pieces. What may still become a citation is held back. */
  add(piece: string): string {
    this.#held += piece;
    return this.#release(this.#incompleteFrom());
  }

  /** Returns what was held back. */
  end(): string {
    return this.#release(this.#held.length);
  }

  #release(end: number): string {
    const text = this.#last + this.#held;
    const matches = [...this.#matches(text)];
    const from = this.#last.length;
    // A citation is not divided.
    const divided = matches.find(({ index, 0: whole }) => index < end + from && index + whole.length > end + from);
    const until = divided ? divided.index : end + from;
    const within = matches.filter(({ index }) => index < until);
    const checked = this.#checked(text.slice(0, until), within).slice(from);
    this.#held = text.slice(until);
    this.#last = text.slice(0, until).at(-1) ?? '';
    return checked;
  }

  #matches(text: string): Iterable<RegExpExecArray> {
    return this.#places ? text.matchAll(this.#places) : [];
  }

  #checked(text: string, matches: readonly RegExpExecArray[]): string {
    let [checked, end] = ['', 0];
    for (const { index, 0: whole, 1: name = '', 2: at } of matches) {
      checked += text.slice(end, index) + this.#place(whole, name, at, text[index - 1] === '[');
      end = index + whole.length;
    }
    return checked + text.slice(end);
  }

  #place(whole: string, name: string, at: string | undefined, isInBrackets: boolean): string {
    const place = whole.replace(/[.!?]+$/, '');
    const found = this.#find(name, at);
    this.cited.push(...found.passages);
    if (found.passages.length === 0) {
      this.dropped.push(place);
      return (isInBrackets ? REMOVED.slice(1, -1) : REMOVED) + whole.slice(place.length);
    }
    if (found.only === undefined) return whole;
    this.shortened.push(`${place} to ${found.only}`);
    return `${name}:${found.only}`;
  }

  /** Returns where the text begins that may continue as a citation. */
  #incompleteFrom(): number {
    const text = this.#held;
    let from = text.length;
    for (const beginning of this.#beginnings) {
      for (let at = text.indexOf(beginning); at >= 0 && at < from; at = text.indexOf(beginning, at + 1))
        if (this.#isIncomplete(text, at)) from = at;
      for (let length = Math.min(beginning.length - 1, text.length); length > 0; length--)
        if (text.endsWith(beginning.slice(0, length))) from = Math.min(from, text.length - length);
    }
    return from;
  }

  #isIncomplete(text: string, at: number): boolean {
    const rest = text.length - at;
    if (text.indexOf('\n', at) >= 0) return false;
    if (rest <= this.#reach) return true;
    const end = text.slice(at).search(/\s/);
    return end < 0 && rest <= LONGEST_NAME;
  }

  /** Returns the opened passages at a place. `only` is the opened part of the place if not all of it was opened. */
  #find(name: string, at: string | undefined): { passages: Passage[]; only?: string } {
    const all = this.#opened.get(name) ?? [];
    const exact = all.filter(({ place }) => at === undefined || place === at);
    if (exact.length > 0) return { passages: exact };
    const wanted = linesOf(at ?? '');
    const lines = all.map(({ place }) => linesOf(place));
    const passages = all.filter((_, index) => {
      const own = lines[index];
      return wanted && own?.sheet === wanted.sheet && own.from <= wanted.to && wanted.from <= own.to;
    });
    if (!wanted || passages.length === 0) return { passages };
    const ranges = joined(lines.filter((own) => own?.sheet === wanted.sheet) as Lines[]);
    const parts = ranges.map(({ from, to }) => ({ from: Math.max(from, wanted.from), to: Math.min(to, wanted.to) }));
    const best = parts.reduce((longest, part) => (part.to - part.from > longest.to - longest.from ? part : longest));
    if (best.from === wanted.from && best.to === wanted.to) return { passages };
    const only = `${wanted.sheet && `${wanted.sheet}!`}${best.from === best.to ? best.from : `${best.from}-${best.to}`}`;
    const within = passages.filter(({ place }) => {
      const own = linesOf(place);
      return own !== undefined && own.from <= best.to && best.from <= own.to;
    });
    return { passages: within, only };
  }
}

type Lines = { sheet: string; from: number; to: number };

function linesOf(place: string): Lines | undefined {
  const [, sheet = '', from, to = from] = /^(?:(.*)!)?(\d+)(?:[-–](\d+))?$/.exec(place) ?? [];
  return from === undefined ? undefined : { sheet, from: Number(from), to: Number(to) };
}

/** Joins ranges that overlap, or between which there is one line, which is the empty line between two passages. */
function joined(ranges: readonly Lines[]): Lines[] {
  const all: Lines[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && range.from <= last.to + 2) last.to = Math.max(last.to, range.to);
    else all.push({ ...range });
  }
  return all;
}
