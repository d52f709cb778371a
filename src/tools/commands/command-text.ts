/**
 * Renders the output of a program as plain lines, like a terminal: colors and titles are dropped, and progress bars keep their last state.
 */

const ESC = '\u001b';
const BEL = '\u0007';
/** The number of lines at the end of the output that a program can still redraw. */
const SCREEN = 60;
/** The maximum length of a line in characters. Longer lines are passed on in parts, so that an endless line does not use up the memory. */
const MAX_LINE = 64_000;
/** The maximum length of an escape sequence in characters. A longer sequence is treated as text. */
const MAX_SEQUENCE = 4_096;

const SEQUENCE = new RegExp(
  [
    `${ESC}\\[([0-?]*)[ -/]*([@-~])`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[PX^_][^${ESC}]*${ESC}\\\\`,
    `${ESC}(?:[ -/]+[0-~]|[0-OQ-WYZ\\\\\`-~])`,
  ].join('|'),
  'y',
);
const BEGUN_SEQUENCE = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|\\][^${BEL}${ESC}]*${ESC}?|[PX^_][^${ESC}]*${ESC}?|[ -/]*)$`, 'y');
/** Matches text up to the next control character. Tabs are kept. */
const PLAIN = /[^\p{Cc}]+|\t+/uy;
const STEERS = /[^\P{Cc}\n\t]/u;

export class TerminalText {
  readonly #onFinalText: (text: string) => void;
  #lines = [''];
  #row = 0;
  #column = 0;
  #unfinished = '';

  /** `onFinalText` receives the lines that can no longer change, in order. A long line may arrive in parts. */
  constructor(onFinalText: (text: string) => void) {
    this.#onFinalText = onFinalText;
  }

  /** The lines that the program can still redraw. */
  get open(): string {
    return this.#lines.join('\n');
  }

  write(chunk: string): void {
    let text = (this.#unfinished + chunk).replaceAll('\r\n', '\n');
    this.#unfinished = '';
    if (text.endsWith('\r')) {
      this.#unfinished = '\r';
      text = text.slice(0, -1);
    }
    if (!STEERS.test(text)) {
      this.#print(text);
      return;
    }
    for (let at = 0; at < text.length; ) {
      const end = this.#next(text, at);
      if (end === undefined) {
        this.#unfinished = text.slice(at) + this.#unfinished;
        return;
      }
      at = end;
    }
  }

  end(): void {
    if (this.open) this.#onFinalText(this.open);
    this.#lines = [''];
    this.#row = 0;
    this.#column = 0;
  }

  /** Consumes the next piece of text and returns its end, or undefined when an escape sequence is not complete yet. */
  #next(text: string, at: number): number | undefined {
    const plain = matchAt(PLAIN, text, at);
    if (plain) {
      this.#print(plain[0]);
      return at + plain[0].length;
    }
    switch (text[at]) {
      case '\n':
        this.#print('\n');
        break;
      case '\r':
        this.#column = 0;
        break;
      case '\b':
        this.#column = Math.max(0, this.#column - 1);
        break;
      case '\0':
        // NUL becomes a replacement character, so that binary output can be recognized.
        this.#print('\ufffd');
        break;
      case ESC: {
        const sequence = matchAt(SEQUENCE, text, at);
        if (sequence) {
          if (sequence[2]) this.#control(sequence[2], sequence[1] ?? '');
          return at + sequence[0].length;
        }
        if (text.length - at < MAX_SEQUENCE && matchAt(BEGUN_SEQUENCE, text, at)) return undefined;
      }
    }
    return at + 1;
  }

  /** Overwrites the text at the cursor. */
  #print(text: string): void {
    if (text === '') return;
    const [first = '', ...rest] = text.split('\n');
    const line = this.#lines[this.#row] ?? '';
    const left = line.length < this.#column ? line.padEnd(this.#column) : line.slice(0, this.#column);
    this.#lines[this.#row] = left + first + line.slice(this.#column + first.length);
    this.#column += first.length;
    if (rest.length > 0) {
      const below = this.#lines.length - 1 - this.#row;
      if (below >= rest.length) {
        for (const [index, part] of rest.entries()) this.#lines[this.#row + 1 + index] = over(this.#lines[this.#row + 1 + index], part);
      } else {
        const redrawn = rest.slice(0, below).map((part, index) => over(this.#lines[this.#row + 1 + index], part));
        this.#lines = this.#lines.slice(0, this.#row + 1).concat(redrawn, rest.slice(below));
      }
      this.#row += rest.length;
      this.#column = rest.at(-1)?.length ?? 0;
      this.#flushAbove(this.#lines.length - SCREEN);
    }
    if ((this.#lines[this.#row]?.length ?? 0) > MAX_LINE && this.#row === this.#lines.length - 1) {
      this.end();
    }
  }

  #flushAbove(count: number): void {
    if (count <= 0) return;
    this.#onFinalText(`${this.#lines.slice(0, count).join('\n')}\n`);
    this.#lines = this.#lines.slice(count);
    this.#row = Math.max(0, this.#row - count);
  }

  #control(final: string, parameters: string): void {
    const [first, second] = parameters.split(';').map((part) => Number.parseInt(part, 10) || undefined);
    const count = first ?? 1;
    switch (final) {
      case 'A':
        this.#moveTo(this.#row - count, this.#column);
        break;
      case 'B':
        this.#moveTo(this.#row + count, this.#column);
        break;
      case 'C':
        this.#moveTo(this.#row, this.#column + count);
        break;
      case 'D':
        this.#moveTo(this.#row, this.#column - count);
        break;
      case 'E':
        this.#moveTo(this.#row + count, 0);
        break;
      case 'F':
        this.#moveTo(this.#row - count, 0);
        break;
      case 'G':
        this.#moveTo(this.#row, count - 1);
        break;
      case 'H':
      case 'f':
        this.#moveTo(count - 1, (second ?? 1) - 1);
        break;
      case 'K':
        this.#eraseInLine(first ?? 0);
        break;
      case 'J':
        if (first === undefined) this.#eraseBelow();
        else if (first > 1) this.#clear();
    }
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.min(Math.max(0, row), this.#lines.length - 1);
    this.#column = Math.min(Math.max(0, column), MAX_LINE);
  }

  #eraseInLine(part: number): void {
    const line = this.#lines[this.#row] ?? '';
    const left = part === 0 ? line.slice(0, this.#column) : '';
    this.#lines[this.#row] = part === 1 ? line.slice(this.#column).padStart(line.length) : left;
  }

  #eraseBelow(): void {
    this.#lines.length = this.#row + 1;
    this.#eraseInLine(0);
  }

  /** Clears the screen: the lines stay in the output, and new text continues below them. */
  #clear(): void {
    if (this.open) this.#onFinalText(`${this.open}\n`);
    this.#lines = [''];
    this.#row = 0;
    this.#column = 0;
  }
}

function over(line = '', text: string): string {
  return text + line.slice(text.length);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
