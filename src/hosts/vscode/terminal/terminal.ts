/** Runs commands so that the user sees them in terminals of VS Code, and lists those that run in the background. */
import * as vscode from 'vscode';
import { type Launch, launchProcess } from '../../node/commands/process.ts';
import { launchPty } from './pty.ts';
import { DEFAULT_SIZE, Screen } from './screen.ts';
import { TERMINAL_NAME as NAME } from './terminal-name.ts';

const MAX_NAME = 30;
/** If there are more background commands than this, those that have ended are removed from the list. */
const MAX_LISTED = 20;
const WITHOUT_TERMINAL = 'This command runs without a terminal, so programs may print without colors or progress.';

/** A background command. `ended` describes how it ended. */
export type BackgroundCommand = { text: string; ended?: string; show(): void; stop(): void };

export class Terminals implements vscode.Disposable {
  readonly #screens = new Set<Screen>();
  readonly #listener: vscode.Disposable;
  #background: BackgroundCommand[] = [];

  constructor() {
    this.#listener = vscode.window.onDidCloseTerminal((terminal) => {
      for (const screen of this.#screens) if (screen.terminal === terminal) this.#screens.delete(screen);
    });
  }

  /** The background commands, newest first. */
  get background(): readonly BackgroundCommand[] {
    return this.#background;
  }

  readonly launch: Launch = async (spec, signal) => {
    const { text, background } = spec;
    const interactive = launchPty(spec, DEFAULT_SIZE);
    const started = interactive ?? (await launchProcess(spec, signal));
    const screen = this.#screenFor(text, background);
    const running = screen.show(text, started, interactive ? undefined : WITHOUT_TERMINAL);
    if (background) this.#list(text, screen, running);
    return running;
  };

  dispose(): void {
    this.#listener.dispose();
    for (const screen of this.#screens) screen.dispose();
  }

  /** Commands run one after another in the same terminal. A background command gets its own. */
  #screenFor(text: string, isBackground: boolean): Screen {
    const free = [...this.#screens].find((screen) => screen.isFree && screen.terminal.name === NAME);
    if (free && !isBackground) return free;
    const screen = new Screen(isBackground ? `${NAME}: ${text.slice(0, MAX_NAME)}` : NAME);
    this.#screens.add(screen);
    if (this.#screens.size === 1) screen.terminal.show(true);
    return screen;
  }

  #list(text: string, { terminal }: Screen, { ended, stop }: Awaited<ReturnType<Launch>>): void {
    const entry: BackgroundCommand = { text, show: () => terminal.show(), stop };
    this.#background = [entry, ...this.#background].filter((each, index) => !each.ended || index < MAX_LISTED);
    void ended.then(({ code, signal }) => {
      entry.ended = signal ? `stopped by ${signal}` : code ? `exit code ${code}` : 'done';
    });
  }
}
