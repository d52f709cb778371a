/** The lines that are redrawn during a run: the spinner with the current action, the output of a command, and the time until a retry. */
import { harmless, oneLine, type Paint } from '../../output/terminal.ts';
import type { Redrawn } from '../../output/text-renderer.ts';
import { cut } from './styled.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TICK_MS = 100;
const OUTPUT_LINES = 5;
const HINT = 'Esc pauses, Ctrl+C stops';

export class Live {
  readonly redrawn: Redrawn;
  readonly #paint: Paint;
  readonly #update: () => void;
  #status: { text: string; since: number } | undefined;
  #output: readonly string[] = [];
  #wait: ((leftMs: number) => string) | undefined;
  #waitEnd = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #since = 0;

  /** `update` draws the screen again. */
  constructor(paint: Paint, update: () => void) {
    this.#paint = paint;
    this.#update = update;
    this.redrawn = {
      progressLine: { begin: (text) => this.#begin(text), end: () => this.#endStatus() },
      liveOutput: { show: (text) => this.#show(text), clear: () => this.#clearOutput() },
      countdown: {
        begin: (text, waitMs) => {
          this.#wait = text;
          this.#waitEnd = performance.now() + waitMs;
        },
        clear: () => undefined,
        end: () => {
          const wasWaiting = this.#wait !== undefined;
          this.#wait = undefined;
          return wasWaiting;
        },
      },
    };
  }

  /** Starts or ends the spinner. */
  running(isRunning: boolean): void {
    if (isRunning === (this.#timer !== undefined)) return;
    if (isRunning) {
      this.#since = performance.now();
      this.#timer = setInterval(this.#update, TICK_MS);
    } else this.end();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  lines(columns: number): string[] {
    if (!this.#timer) return [];
    const { dim, cyan } = this.#paint;
    const now = performance.now();
    const { text, since } = this.#status ?? { text: 'Working', since: this.#since };
    const what = this.#wait ? this.#wait(Math.max(0, this.#waitEnd - now)) : `${text}  ${seconds(now - since)}`;
    const frame = FRAMES[Math.floor(now / TICK_MS) % FRAMES.length] as string;
    const output = this.#output.map((line) => cut(`  ${dim(line)}`, columns));
    return [...output, cut(`${cyan(frame)} ${oneLine(what)}  ${dim(HINT)}`, columns)];
  }

  #begin(text: string): void {
    this.#status = { text, since: performance.now() };
  }

  #endStatus(): boolean {
    this.#status = undefined;
    return false;
  }

  #show(text: string): void {
    const lines = harmless(text).split('\n');
    this.#output = lines.filter((line) => line.trim()).slice(-OUTPUT_LINES);
    this.#update();
  }

  #clearOutput(): boolean {
    this.#output = [];
    return false;
  }
}

function seconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
