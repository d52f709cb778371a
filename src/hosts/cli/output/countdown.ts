/** A wait that counts down in a line of its own, at a terminal. */
import type { Output } from './terminal.ts';

const TICK_MS = 1000;
/** To the line's beginning, and empties it. */
const AFRESH = '\r\u001b[K';
const USUAL_COLUMNS = 80;

export class Countdown {
  readonly #output: Output;
  #text: (() => string) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** `text` says what is left of the wait. */
  begin(text: (leftMs: number) => string, waitMs: number): void {
    this.end();
    const until = performance.now() + waitMs;
    this.#text = () => text(Math.max(0, until - performance.now()));
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** Somebody else writes a line; the next tick goes on below it. */
  clear(): void {
    if (this.#text) this.#output.write(AFRESH);
  }

  /** The line stays as it is; `newline` where the cursor is still in it. False where nothing counts down. */
  end(newline = true): boolean {
    if (!this.#text) return false;
    clearInterval(this.#timer);
    if (newline) {
      this.#draw();
      this.#output.write('\n');
    }
    this.#text = undefined;
    return true;
  }

  /** A line that the terminal has to break could not be written over. */
  #draw(): void {
    const text = this.#text?.() ?? '';
    const room = (this.#output.columns || USUAL_COLUMNS) - 1;
    this.#output.write(AFRESH + (text.length > room ? `${text.slice(0, room - 1)}…` : text));
  }
}
