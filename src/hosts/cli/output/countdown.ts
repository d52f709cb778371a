/** Shows a wait as a countdown in one line of a terminal. */
import type { Output } from './terminal.ts';

const TICK_MS = 1000;
/** Moves the cursor to the beginning of the line and clears it. */
const CLEAR_LINE = '\r\u001b[K';
const USUAL_COLUMNS = 80;

export class Countdown {
  readonly #output: Output;
  #text: (() => string) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** `text` formats the remaining time. */
  begin(text: (leftMs: number) => string, waitMs: number): void {
    this.end();
    const until = performance.now() + waitMs;
    this.#text = () => text(Math.max(0, until - performance.now()));
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** Clears the line before other output is written. The next tick draws the countdown below that output. */
  clear(): void {
    if (this.#text) this.#output.write(CLEAR_LINE);
  }

  /** Ends the countdown and leaves its line in place. `newline` moves the cursor to the next line. Returns false if no countdown is active. */
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

  /** The text is cut to the width of the terminal, because a wrapped line could not be overwritten. */
  #draw(): void {
    const text = this.#text?.() ?? '';
    const room = (this.#output.columns || USUAL_COLUMNS) - 1;
    this.#output.write(CLEAR_LINE + (text.length > room ? `${text.slice(0, room - 1)}…` : text));
  }
}
