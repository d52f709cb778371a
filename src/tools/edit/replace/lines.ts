/** A text as lines with their places in it; pure. A line break is \r\n, \n or \r, and a text that ends with one has an empty last line. */
const BREAK = /\r\n|\n|\r/g;

export class Lines {
  readonly text: string;
  readonly #starts: number[] = [0];
  readonly #ends: number[] = [];
  readonly #folded = new Map<(line: string) => string, string[]>();

  constructor(text: string) {
    this.text = text;
    for (const { 0: ending, index } of text.matchAll(BREAK)) {
      this.#ends.push(index);
      this.#starts.push(index + ending.length);
    }
    this.#ends.push(text.length);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Without the empty line after the last line break. */
  get full(): number {
    return this.text !== '' && this.#starts.at(-1) === this.text.length ? this.count - 1 : this.count;
  }

  start(index: number): number {
    return this.#starts[index] ?? this.text.length;
  }

  /** Before the line break. */
  end(index: number): number {
    return this.#ends[index] ?? this.text.length;
  }

  line(index: number): string {
    return this.text.slice(this.start(index), this.end(index));
  }

  /** The number, from 1, of the line that this place is in. */
  numberAt(offset: number): number {
    return lastAtMost(this.#starts, offset) + 1;
  }

  /** How the line at this place ends; where it is the last, the one before; where there is only one, `\n`. */
  endingNear(offset: number): string {
    const line = Math.min(this.numberAt(offset) - 1, this.count - 2);
    return line < 0 ? '\n' : this.text.slice(this.end(line), this.start(line + 1));
  }

  /** All lines as a rule compares them; computed once for each rule. */
  folded(fold: (line: string) => string): readonly string[] {
    let lines = this.#folded.get(fold);
    if (!lines) {
      lines = this.#starts.map((_, index) => fold(this.line(index)));
      this.#folded.set(fold, lines);
    }
    return lines;
  }
}

/** The index of the last number that is not greater than `limit`; -1 where all are. The numbers must be sorted. */
export function lastAtMost(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) <= limit) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

export function splitLines(text: string): string[] {
  return text.split(BREAK);
}

/** Lines with the break that follows each; the last has none. */
export function splitPieces(text: string): { text: string; ending: string }[] {
  const endings = text.match(BREAK) ?? [];
  return splitLines(text).map((line, index) => ({ text: line, ending: endings[index] ?? '' }));
}
