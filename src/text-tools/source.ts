/** Suspends where it needs text that has not come yet, so what it finds cannot depend on how the text was cut into chunks. */
export type Reading<T> = Generator<void, T>;

/** The text at hand is not what the reader took it for. */
export class Unreadable extends Error {}

/** The characters of a tool's name, with what formats put around it. */
export const NAME = /[\w.:/\\-]+/y;

/** A growing text with a place in it. */
export class Source {
  text = '';
  at = 0;
  ended = false;
  /** How much text was before `text`. */
  forgotten = 0;

  get rest(): string {
    return this.text.slice(this.at);
  }

  /** The character at a distance; empty behind the end. */
  *char(distance = 0): Reading<string> {
    while (this.at + distance >= this.text.length && !this.ended) yield;
    return this.text[this.at + distance] ?? '';
  }

  /** Passes the longest of `options` that stands here. It waits only while one of them could still become whole. */
  *literal(options: readonly string[]): Reading<string | undefined> {
    for (;;) {
      const left = this.text.length - this.at;
      const open = options.some((option) => left < option.length && option.startsWith(this.rest));
      if (!open || this.ended) break;
      yield;
    }
    let longest: string | undefined;
    for (const option of options) if (option.length > (longest?.length ?? 0) && this.text.startsWith(option, this.at)) longest = option;
    this.at += longest?.length ?? 0;
    return longest;
  }

  /** Passes what a sticky pattern of single characters matches, and gives it. */
  *run(pattern: RegExp): Reading<string> {
    const start = this.at;
    for (;;) {
      pattern.lastIndex = this.at;
      this.at += pattern.exec(this.text)?.[0].length ?? 0;
      if (this.at < this.text.length || this.ended) return this.text.slice(start, this.at);
      yield;
    }
  }

  /** Like `run`, but with what there is: it does not wait for more. */
  skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    this.at += pattern.exec(this.text)?.[0].length ?? 0;
  }

  *spaces(): Reading<string> {
    return yield* this.run(/[^\S]+/y);
  }

  /** Goes to the first of `stops`, passes it, and gives what stood before it. @throws Unreadable if there is none within `most` characters. */
  *until(stops: readonly string[], most = Number.POSITIVE_INFINITY): Reading<{ text: string; stop: string }> {
    const start = this.at;
    const longest = Math.max(...stops.map((stop) => stop.length));
    // One pattern for all, so that a stop which never comes does not cost a pass of its own each time.
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
    // Names of tools are in some: the store must not grow with them for ever.
    if (patterns.size > 500) patterns.clear();
    pattern = new RegExp(stops.map((stop) => stop.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g');
    patterns.set(key, pattern);
  }
  return pattern;
}

/** How far a text is free of `marks`, which begin with `<`, `[`, `]` or a line, and of what may become one of them. */
export function freeOf(marks: readonly string[], text: string, from: number): number {
  const first = /[<[\]\n]/g;
  first.lastIndex = from;
  for (let found = first.exec(text); found; found = first.exec(text)) {
    const rest = text.slice(found.index, found.index + 64);
    if (marks.some((mark) => rest.startsWith(mark) || mark.startsWith(rest))) return found.index;
  }
  return text.length;
}

/** What `reading` gives, or nothing where the text is not so. */
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
