/** Splits a text into lines with their offsets. A line break is \r\n, \n or \r, and a text that ends with one has an empty last line. */
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

  /** The number of lines, without the empty line after the last line break. */
  get full(): number {
    return this.text !== '' && this.#starts.at(-1) === this.text.length ? this.count - 1 : this.count;
  }

  start(index: number): number {
    return this.#starts[index] ?? this.text.length;
  }

  /** The offset before the line break. */
  end(index: number): number {
    return this.#ends[index] ?? this.text.length;
  }

  line(index: number): string {
    return this.text.slice(this.start(index), this.end(index));
  }

  /** Returns the line number, from 1, of an offset. */
  numberAt(offset: number): number {
    return lastAtMost(this.#starts, offset) + 1;
  }

  /**
   * Returns the line ending at an offset. For the last line, it is the ending of the line before it, and for a text with a single line, it
   * is `\n`.
   */
  endingNear(offset: number): string {
    const line = Math.min(this.numberAt(offset) - 1, this.count - 2);
    return line < 0 ? '\n' : this.text.slice(this.end(line), this.start(line + 1));
  }

  /** Returns all lines in the form that a matching rule compares. The result is cached for each matching rule. */
  folded(fold: (line: string) => string): readonly string[] {
    let lines = this.#folded.get(fold);
    if (!lines) {
      lines = this.#starts.map((_, index) => fold(this.line(index)));
      this.#folded.set(fold, lines);
    }
    return lines;
  }
}

/** Returns the index of the last number that is not greater than `limit`, or -1 when all are. The numbers must be sorted. */
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

/** Splits a text into lines, each with the line break that follows it. The last line has no line break. */
export function splitPieces(text: string): { text: string; ending: string }[] {
  const endings = text.match(BREAK) ?? [];
  return splitLines(text).map((line, index) => ({ text: line, ending: endings[index] ?? '' }));
}
