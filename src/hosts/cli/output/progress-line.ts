/** A sign of life, at a terminal, where nothing else has shown for a while: a line that goes as soon as there is something to show. */
import { type Output, paintFor } from './terminal.ts';

const USUAL_COLUMNS = 80;

export class Waiting {
  readonly #output: Output;
  readonly #afterMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShown = false;

  constructor(output: Output, afterMs = 1_500) {
    this.#output = output;
    this.#afterMs = afterMs;
  }

  /** `text` says for what, in one line. It is written once and not again, so what the user types meanwhile stays to be seen. */
  begin(text: string): void {
    this.end();
    this.#timer = setTimeout(() => {
      const room = (this.#output.columns || USUAL_COLUMNS) - 1;
      this.#output.write(paintFor(this.#output).dim(text.length >= room ? `${text.slice(0, room - 2)}… ` : `${text}… `));
      this.#isShown = true;
    }, this.#afterMs).unref();
  }

  /** Whether there was a line to take away. */
  end(): boolean {
    clearTimeout(this.#timer);
    const wasShown = this.#isShown;
    if (wasShown) this.#output.write('\r\u001b[K');
    this.#isShown = false;
    return wasShown;
  }
}
