/**
 * Shows the last lines of a running command at a terminal. New lines overwrite earlier lines, and all lines disappear when the command
 * ends.
 */
import { harmless, type Output, type Paint } from './terminal.ts';

const LINES = 5;
const INDENT = '  ';
const USUAL_COLUMNS = 80;

export class LiveOutput {
  readonly #output: Output;
  readonly #paint: Paint;
  #drawn = 0;

  constructor(output: Output, paint: Paint) {
    this.#output = output;
    this.#paint = paint;
  }

  show(text: string): void {
    const room = (this.#output.columns || USUAL_COLUMNS) - INDENT.length - 1;
    const lines = harmless(text.replace(/\t/g, '    '))
      .split('\n')
      .filter((line) => line.trim())
      .slice(-LINES)
      .map((line) => `${INDENT}${this.#paint.dim(cutToWidth(line, room))}\n`);
    this.#output.write(`${this.#eraseDrawn()}${lines.join('')}`);
    this.#drawn = lines.length;
  }

  /** Removes the lines. Returns false if no lines were shown. */
  clear(): boolean {
    const drawn = this.#drawn > 0;
    if (drawn) this.#output.write(this.#eraseDrawn());
    this.#drawn = 0;
    return drawn;
  }

  /** Returns the sequence that moves the cursor to the first drawn line and clears the screen below it. */
  #eraseDrawn(): string {
    return this.#drawn > 0 ? `\u001b[${this.#drawn}A\r\u001b[J` : '';
  }
}

/** Cuts a line to the width of the terminal, because a wrapped line could not be overwritten. Non-Latin letters may be two columns wide. */
function cutToWidth(line: string, room: number): string {
  let width = 0;
  let out = '';
  for (const char of line) {
    width += (char.codePointAt(0) ?? 0) < 0x300 ? 1 : 2;
    if (width > room) return `${out.slice(0, -1)}…`;
    out += char;
  }
  return out;
}
