/** The number of pieces that are joined together. */
const BLOCK = 1_024;

/**
 * A string that grows by small pieces. Repeated concatenation would keep every piece in memory, which takes many times the size of the
 * text. Pieces are therefore joined in blocks.
 */
export class GrowingText {
  length = 0;
  #blocks = '';
  #pieces: string[] = [];

  constructor(text = '') {
    if (text) this.add(text);
  }

  add(piece: string): void {
    if (piece === '') return;
    this.length += piece.length;
    if (this.#pieces.push(piece) >= BLOCK) this.#join();
  }

  get text(): string {
    this.#join();
    return this.#blocks;
  }

  /** Returns the text and removes it from this object. */
  take(): string {
    const { text } = this;
    this.#blocks = '';
    this.length = 0;
    return text;
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#blocks += this.#pieces.join('');
    this.#pieces = [];
  }
}
