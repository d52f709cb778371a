/** How many pieces are joined at once. */
const BLOCK = 1_024;

/**
 * A string that grows by small pieces. Plain concatenation would keep each piece in memory, at many times the length of the text, so pieces
 * are joined in blocks.
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

  /** Returns the text and starts over with an empty one. */
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
