/** How many pieces are put together at once. */
const BLOCK = 1_024;

/**
 * A text that comes in small pieces. Added up one by one, all of them would stay in memory as parts of it, at many times its length: so they
 * are put together block by block.
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

  /** The text, which begins anew. */
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
