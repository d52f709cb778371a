/** Tells the lines of growing offsets in a text, reading the text only once. */
export class Lines {
  readonly #text: string;
  #line: number;
  #next: number;

  constructor(text: string, firstLine = 1) {
    this.#text = text;
    this.#line = firstLine;
    this.#next = text.indexOf('\n');
  }

  /** Returns the line of an offset. An offset before the previous one has the line of the previous one. */
  at(offset: number): number {
    while (this.#next >= 0 && this.#next < offset) {
      this.#line++;
      this.#next = this.#text.indexOf('\n', this.#next + 1);
    }
    return this.#line;
  }
}
