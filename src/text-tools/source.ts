import { escapeRegex } from '../core/escape-regex.ts';

/**
 * A reader that suspends when it needs text that has not arrived yet, so that its result does not depend on how the text was split into
 * chunks.
 */
export type Reading<T> = Generator<void, T>;

/** Thrown if the text does not have the form that a reader expects. */
export class Unreadable extends Error {}

/** The characters of a tool name, including what call formats add to it. */
export const NAME = /[\w.:/\\-]+/y;

/** A growing text with a current position. */
export class Source {
  text = '';
  at = 0;
  ended = false;
  /** The number of discarded characters before `text`. */
  forgotten = 0;

  get rest(): string {
    return this.text.slice(this.at);
  }

  /** Returns the character at a distance from the current position; empty after the end. */
  *char(distance = 0): Reading<string> {
    while (this.at + distance >= this.text.length && !this.ended) yield;
    return this.text[this.at + distance] ?? '';
  }

  /** Skips the longest of `options` at the current position. Waits only while one of them could still be completed. */
  *literal(options: readonly string[]): Reading<string | undefined> {
    for (;;) {
      const remaining = this.text.length - this.at;
      const open = options.some((option) => remaining < option.length && option.startsWith(this.rest));
      if (!open || this.ended) break;
      yield;
    }
    let longest: string | undefined;
    for (const option of options) if (option.length > (longest?.length ?? 0) && this.text.startsWith(option, this.at)) longest = option;
    this.at += longest?.length ?? 0;
    return longest;
  }

  /** Skips and returns what a sticky pattern of single characters matches. */
  *run(pattern: RegExp): Reading<string> {
    const start = this.at;
    for (;;) {
      pattern.lastIndex = this.at;
      this.at += pattern.exec(this.text)?.[0].length ?? 0;
      if (this.at < this.text.length || this.ended) return this.text.slice(start, this.at);
      yield;
    }
  }

  /** Like `run`, but only for text that was already received. */
  skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    this.at += pattern.exec(this.text)?.[0].length ?? 0;
  }

  *spaces(): Reading<string> {
    return yield* this.run(/[^\S]+/y);
  }

  /** Moves past the first of `stops` and returns the text before it. @throws Unreadable if no stop occurs within `most` characters */
  *until(stops: readonly string[], most = Number.POSITIVE_INFINITY): Reading<{ text: string; stop: string }> {
    const start = this.at;
    const longest = Math.max(...stops.map((stop) => stop.length));
    // A single pattern for all stops avoids searching the whole text again for a stop that never occurs.
    const pattern = patternOf(stops);
    for (let from = start; ; ) {
      pattern.lastIndex = from;
      const first = pattern.exec(this.text);
      if (first && first.index - start <= most) {
        this.at = first.index + first[0].length;
        return { text: this.text.slice(start, first.index), stop: first[0] };
      }
      from = Math.max(start, this.text.length - longest + 1);
      if (!first && this.ended) this.at = this.text.length;
      if (first || this.ended || from - start > most) throw new Unreadable();
      yield;
    }
  }
}

const patterns = new Map<string, RegExp>();

function patternOf(stops: readonly string[]): RegExp {
  const key = stops.join('\0');
  let pattern = patterns.get(key);
  if (!pattern) {
    // Some patterns contain tool names, so the cache could otherwise grow without limit.
    if (patterns.size > 500) patterns.clear();
    pattern = new RegExp(stops.map(escapeRegex).join('|'), 'g');
    patterns.set(key, pattern);
  }
  return pattern;
}

/** Returns the position up to which a text contains no marker and no beginning of one. Markers begin with `<`, `[`, `]` or a line break. */
export function freeOf(marks: readonly string[], text: string, from: number): number {
  const first = /[<[\]\n]/g;
  first.lastIndex = from;
  for (let match = first.exec(text); match; match = first.exec(text)) {
    const rest = text.slice(match.index, match.index + 64);
    if (marks.some((mark) => rest.startsWith(mark) || mark.startsWith(rest))) return match.index;
  }
  return text.length;
}

/** Runs a reader. Returns undefined and restores the position if the text does not match. */
export function* attempt<T>(src: Source, reading: Reading<T>): Reading<T | undefined> {
  const start = src.at;
  try {
    return yield* reading;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    src.at = start;
    return undefined;
  }
}
