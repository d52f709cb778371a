/**
 * Shows a line in the terminal that says why the program waits, after some time without other output. The line disappears with the next
 * output.
 */
import { type Output, paintFor } from './terminal.ts';

const USUAL_COLUMNS = 80;

export class ProgressLine {
  readonly #output: Output;
  readonly #afterMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShown = false;

  constructor(output: Output, afterMs = 1_500) {
    this.#output = output;
    this.#afterMs = afterMs;
  }

  /**
   * `text` says why the program waits, in one line. The line is written only once, so that it does not overwrite what the user
   * types.
   */
  begin(text: string): void {
    this.end();
    this.#timer = setTimeout(() => {
      const room = (this.#output.columns || USUAL_COLUMNS) - 1;
      this.#output.write(paintFor(this.#output).dim(text.length >= room ? `${text.slice(0, room - 2)}… ` : `${text}… `));
      this.#isShown = true;
    }, this.#afterMs).unref();
  }

  /** Removes the line. Returns false if no line was shown. */
  end(): boolean {
    clearTimeout(this.#timer);
    const wasShown = this.#isShown;
    if (wasShown) this.#output.write('\r\u001b[K');
    this.#isShown = false;
    return wasShown;
  }
}
