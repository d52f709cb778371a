/** A terminal in which the user sees a command and its output. The command itself does not depend on it. */
import * as vscode from 'vscode';
import { visibleCommand } from '../../../core/words/visible-text.ts';
import type { Ending, Running } from '../../node/commands/process.ts';
import type { Interactive, Size } from './pty.ts';

const BOLD = '\x1b[1m';
const DIM = '\x1b[2m';
const RESET = '\x1b[0m';
/** Ctrl+C */
const INTERRUPT = '\x03';
/** The maximum number of characters that are kept for a terminal that VS Code does not show yet. */
const MAX_EARLY = 100_000;
export const DEFAULT_SIZE: Size = { columns: 120, rows: 30 };

type Following = Running & Partial<Pick<Interactive, 'write' | 'resize'>>;

export class Screen {
  readonly terminal: vscode.Terminal;
  readonly #written = new vscode.EventEmitter<string>();
  /** The output that was written before VS Code showed the terminal. It is undefined once the terminal is shown. */
  #early: string | undefined = '';
  #size = DEFAULT_SIZE;
  #running: Following | undefined;
  #isAtLineStart = true;
  #isClosed = false;

  constructor(name: string) {
    const pty: vscode.Pseudoterminal = {
      onDidWrite: this.#written.event,
      open: (size) => {
        const early = this.#early ?? '';
        this.#early = undefined;
        if (early) this.#written.fire(early);
        if (size) this.#resize(size);
      },
      setDimensions: (size) => this.#resize(size),
      handleInput: (text) => {
        if (this.#running?.write) this.#running.write(text);
        else if (text === INTERRUPT) this.#running?.stop();
      },
      close: () => {
        this.#isClosed = true;
        this.#running?.stop();
      },
    };
    this.terminal = vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon('hubot'), isTransient: true });
  }

  get isFree(): boolean {
    return !this.#running && !this.#isClosed;
  }

  /** Shows the command as it was approved, and then its output. `note` is a sentence that describes how it runs. */
  show(text: string, running: Following, note?: string): Running {
    this.#running = running;
    running.resize?.(this.#size);
    const lineStart = this.#isAtLineStart ? '' : '\r\n';
    this.#write(`${lineStart}${BOLD}$ ${visibleCommand(text).replaceAll('\n', '\r\n')}${RESET}\r\n`);
    if (note) this.#write(`${DIM}${note}${RESET}\r\n`);
    if (this.#isClosed) running.stop();
    const ended = running.ended.then((ending) => {
      this.#running = undefined;
      const end = endText(ending);
      if (end) this.#write(`${this.#isAtLineStart ? '' : '\r\n'}${DIM}[${end}]${RESET}\r\n`);
      return ending;
    });
    return { output: this.#copied(running), ended, stop: () => running.stop() };
  }

  dispose(): void {
    this.terminal.dispose();
    this.#written.dispose();
  }

  async *#copied(running: Following): AsyncGenerator<string> {
    // A pipe has line feeds only.
    const isPlain = running.write === undefined;
    for await (const text of running.output) {
      this.#write(isPlain ? text.replace(/\r?\n/g, '\r\n') : text);
      yield text;
    }
  }

  #write(text: string): void {
    if (text === '') return;
    this.#isAtLineStart = text.endsWith('\n');
    if (this.#early === undefined) this.#written.fire(text);
    else this.#early = (this.#early + text).slice(-MAX_EARLY);
  }

  #resize(size: Size): void {
    this.#size = size;
    this.#running?.resize?.(size);
  }
}

function endText({ code, signal }: Ending): string | undefined {
  if (signal !== undefined) return `stopped by ${signal}`;
  return code ? `exit code ${code}` : undefined;
}
