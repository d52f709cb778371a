/** The maximum length of a file reference, in characters. A longer word is not held back. */
const MAX_WORD = 500;
const PLACE = /(`+|(?<![\w/.:@-])[\w@.-][\w@./[\]-]*\.\w+:[ps]?\d+(?!\w))/;

/**
 * Finds references such as `path:12` in streamed text, and pages of documents such as `path:p3`, even if a piece of text ends within a reference. Inline code and code blocks are
 * ignored.
 */
export class PlaceFinder {
  readonly #text: (text: string) => void;
  readonly #place: (path: string, place: string, text: string) => void;
  #rest = '';
  /** The backticks that opened the current code, or an empty string outside code. */
  #code = '';
  /** True while the rest of a word that was too long to be held back is streamed. */
  #inLongWord = false;

  constructor(text: (text: string) => void, place: (path: string, place: string, text: string) => void) {
    this.#text = text;
    this.#place = place;
  }

  /** Emits the text up to the last word, which may continue in the next piece. */
  write(piece: string): void {
    const text = this.#rest + piece;
    let cut = text.length;
    while (cut > 0 && !/\s/.test(text.charAt(cut - 1))) cut--;
    this.#emit(text.slice(0, cut));
    this.#rest = text.slice(cut);
    if (!this.#inLongWord && this.#rest.length <= MAX_WORD) return;
    this.#inLongWord = true;
    // A run of backticks is not split, because its length decides where code ends.
    let end = this.#rest.length;
    while (this.#rest.charAt(end - 1) === '`') end--;
    if (this.#rest.length - end > MAX_WORD) end = this.#rest.length;
    const word = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    this.#emit(word);
  }

  end(): void {
    this.#emit(this.#rest);
    this.#rest = '';
    this.#code = '';
    this.#inLongWord = false;
  }

  #emit(text: string): void {
    let plain = '';
    for (const word of text.split(/(\s+)/)) {
      if (/^\s/.test(word)) this.#inLongWord = false;
      else if (word.length > MAX_WORD) this.#inLongWord = true;
      for (const token of word.split(this.#inLongWord ? /(`+)/ : PLACE)) {
        if (token.startsWith('`')) this.#tick(token);
        const reference = this.#code || this.#inLongWord ? null : /^([\w@.-][\w@./[\]-]*\.\w+):([ps]?\d+)$/.exec(token);
        if (!reference) {
          plain += token;
          continue;
        }
        if (plain) this.#text(plain);
        plain = '';
        this.#place(reference[1] as string, reference[2] as string, token);
      }
    }
    if (plain) this.#text(plain);
  }

  /** Opens or closes code. Code ends with as many backticks as it began with. */
  #tick(backticks: string): void {
    if (!this.#code) this.#code = backticks;
    else if (backticks === this.#code) this.#code = '';
  }
}
