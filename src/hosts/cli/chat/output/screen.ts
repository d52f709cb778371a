/**
 * Owns the terminal during a conversation. Text is printed once. Below it are a few lines, such as the prompt, which are drawn again when
 * something changes. Everything that is written to the terminal is written here.
 */
import { plain, safe, widthOf, wrap } from './styled.ts';

export type ScreenOutput = { write(text: string): unknown; columns?: number; rows?: number };
/** The lines at the bottom, of which none may be wider than the terminal, and the place of the cursor in them. */
export type Bottom = { lines: readonly string[]; row: number; column: number };

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;
/** The maximum delay until a change is drawn. */
const FRAME_MS = 16;

export class Screen {
  readonly #output: ScreenOutput;
  readonly #bottom: () => Bottom;
  readonly #safe: (text: string) => string;
  #printed = '';
  /** The widths of the lines that are drawn at the bottom, and the place of the cursor. */
  #drawn: { widths: number[]; row: number; column: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** `bottom` returns the lines at the bottom. It is called for every frame. Without `hasStyles`, no style is written. */
  constructor(output: ScreenOutput, bottom: () => Bottom, hasStyles: boolean) {
    this.#output = output;
    this.#safe = hasStyles ? safe : plain;
    this.#bottom = bottom;
  }

  /** The number of columns that lines may fill. The last one stays empty, because some terminals begin a new line when it is filled. */
  get columns(): number {
    return Math.max((this.#output.columns || USUAL_COLUMNS) - 1, 10);
  }

  get rows(): number {
    return this.#output.rows || USUAL_ROWS;
  }

  /** Prints whole lines above the bottom. `indent` is the beginning of further lines of a line that is wrapped. */
  print(text: string, indent = ''): void {
    if (this.#isClosed) return void this.#output.write(`${this.#safe(text)}\n`);
    for (const line of wrap(this.#safe(text), this.columns, indent)) this.#printed += `${line}\n`;
    this.update();
  }

  /** Draws the bottom again within a frame. */
  update(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.draw(), FRAME_MS);
  }

  draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed) return;
    const { lines, row, column } = this.#bottom();
    const shown = lines.map(this.#safe);
    const text = this.#replaced(`${this.#printed}${shown.join('\n')}`);
    this.#printed = '';
    this.#drawn = { widths: shown.map(widthOf), row, column };
    const up = shown.length - 1 - row;
    this.#output.write(`${text}${up > 0 ? `\u001b[${up}A` : ''}\r${column > 0 ? `\u001b[${column}C` : ''}`);
  }

  /** Removes the bottom. What is printed afterwards is written immediately. `lines` replaces it. */
  close(lines: readonly string[] = []): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#isClosed = true;
    this.#output.write(this.#replaced(`${this.#printed}${lines.map((line) => `${this.#safe(line)}\n`).join('')}`));
    this.#printed = '';
    this.#drawn = undefined;
  }

  /** Empties the screen. What was printed can still be scrolled to. */
  clear(): void {
    this.#drawn = undefined;
    this.#output.write('\u001b[2J\u001b[H');
    this.draw();
  }

  /** Draws the bottom again after `close`, for example when another program has used the terminal. */
  open(): void {
    this.#isClosed = false;
    this.update();
  }

  /**
   * Returns the text with sequences that make it replace the bottom. A narrower terminal has wrapped the lines of the bottom, so they fill
   * more rows than when they were drawn. Each line is cleared by itself, because tmux keeps a copy of a screen that is cleared as a whole.
   */
  #replaced(text: string): string {
    if (!this.#drawn) return text;
    const { widths, row, column } = this.#drawn;
    const columns = this.#output.columns || USUAL_COLUMNS;
    const above = widths.slice(0, row).reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    const up = above + Math.floor(column / columns);
    return `${up > 0 ? `\u001b[${up}A` : ''}\r${text.replaceAll('\n', '\u001b[K\n')}\u001b[J`;
  }
}
