/** Tells `path:line` from other text while it streams, whatever the pieces are; code, inline and fenced, is left alone. */
export class PlaceFinder {
  readonly #text: (text: string) => void;
  readonly #place: (path: string, line: number, text: string) => void;
  #rest = '';
  #inCode = false;

  constructor(text: (text: string) => void, place: (path: string, line: number, text: string) => void) {
    this.#text = text;
    this.#place = place;
  }

  /** Holds back the last word, which may go on in the next piece. */
  write(piece: string): void {
    const text = this.#rest + piece;
    const cut = text.search(/\S*$/);
    this.#rest = text.slice(cut);
    this.#emit(text.slice(0, cut));
  }

  end(): void {
    this.#emit(this.#rest);
    this.#rest = '';
    this.#inCode = false;
  }

  #emit(text: string): void {
    let plain = '';
    for (const token of text.split(/(`+|(?<![\w/.:@-])[\w@.-][\w@./[\]-]*\.\w+:\d+(?!\w))/)) {
      if (token.startsWith('`')) this.#inCode = !this.#inCode;
      const found = this.#inCode ? null : /^(.+):(\d+)$/.exec(token);
      if (!found || token.includes(' ') || !/^[\w@.-][\w@./[\]-]*\.\w+:\d+$/.test(token)) {
        plain += token;
        continue;
      }
      if (plain) this.#text(plain);
      plain = '';
      this.#place(found[1] as string, Number(found[2]), token);
    }
    if (plain) this.#text(plain);
  }
}
