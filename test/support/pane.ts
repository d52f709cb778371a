/** A real terminal for tests: a pane of tmux. The test presses its keys and reads its screen. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from './until.ts';

const run = promisify(execFile);
let count = 0;

/** Returns why there are no panes on this computer, or undefined. */
export function paneProblem(): string | undefined {
  if (process.platform === 'win32') return 'tmux does not run on Windows';
  return spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is not installed';
}

export type PaneOptions = { columns?: number; rows?: number; cwd: string; env: Readonly<Record<string, string>> };

export class Pane implements AsyncDisposable {
  readonly #socket = `kedge-test-${process.pid}-${++count}`;

  /** Starts a program in a new pane. When it has ended, the screen shows its exit code. */
  static async start(command: readonly string[], { columns = 80, rows = 30, cwd, env }: PaneOptions): Promise<Pane> {
    const pane = new Pane();
    const words = [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    );
    // The shell stays, so that the screen can be read after the program has ended. `stty` shows the mode in which it left the terminal.
    const script = `env ${words.join(' ')}; echo "[exit $?]"; stty -a | grep -o -- '[-]*icanon'; exec cat`;
    const size = ['-x', `${columns}`, '-y', `${rows}`];
    await pane.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, script);
    return pane;
  }

  /** Presses keys by their names in tmux, such as `Enter`, `C-c` and `BTab`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** Types a text as it is. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', text);
    await this.#tmux('paste-buffer', '-p');
  }

  async resize(columns: number): Promise<void> {
    await this.#tmux('resize-window', '-x', `${columns}`);
  }

  /** Returns the screen, including the lines that have scrolled out of it. */
  async screen({ withStyles = false } = {}): Promise<string> {
    return (await this.#tmux('capture-pane', '-p', '-S', '-2000', ...(withStyles ? ['-e'] : []))).trimEnd();
  }

  /** Waits until the screen matches. */
  async shows(pattern: RegExp): Promise<string> {
    return until(`the screen to match ${pattern}`, async () => {
      const screen = await this.screen();
      return pattern.test(screen) && screen;
    });
  }

  /** Returns whether the cursor is visible. */
  async isCursorVisible(): Promise<boolean> {
    return (await this.#tmux('display-message', '-p', '#{cursor_flag}')).trim() === '1';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
  }

  async #tmux(...args: string[]): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, ...args])).stdout;
  }
}
