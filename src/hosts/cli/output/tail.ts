/** The last lines of what is under way, at a terminal: each time written over the ones before, and gone when it is over. */
import { harmless, type Output, type Paint } from './terminal.ts';

const LINES = 5;
const INDENT = '  ';
const USUAL_COLUMNS = 80;

export class LiveTail {
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
      .map((line) => `${INDENT}${this.#paint.dim(fitting(line, room))}\n`);
    this.#output.write(`${this.#up()}${lines.join('')}`);
    this.#drawn = lines.length;
  }

  /** Whether there was something to take away. */
  clear(): boolean {
    const drawn = this.#drawn > 0;
    if (drawn) this.#output.write(this.#up());
    this.#drawn = 0;
    return drawn;
  }

  /** To where the lines began, and empties all from there. */
  #up(): string {
    return this.#drawn > 0 ? `\u001b[${this.#drawn}A\r\u001b[J` : '';
  }
}

/** A line that the terminal has to break could not be written over. Letters beyond Latin may be two columns wide. */
function fitting(line: string, room: number): string {
  let width = 0;
  let out = '';
  for (const char of line) {
    width += (char.codePointAt(0) ?? 0) < 0x300 ? 1 : 2;
    if (width > room) return `${out.slice(0, -1)}…`;
    out += char;
  }
  return out;
}
