/** Runs commands with timeouts and in the background, and returns their output later. The host decides how a process is started. */
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandLines, CommandResult, CommandRunner, CommandSpec, CommandState } from '../../../workspace/commands.ts';
import type { Location } from '../../../workspace/types.ts';
import { type EnvironmentRules, NO_ENVIRONMENT_RULES, withheldFrom } from './command-environment.ts';
import { CommandOutput, linesFrom } from './output.ts';
import { type Ending, findShell, type Launch, launchProcess, type Running, type Shell } from './process.ts';

export type CommandsOptions = {
  /** The directory where outputs are stored. */
  storage: string;
  /** Returns the path on disk of a directory. @throws Error if the directory is not on a disk, or was moved. */
  directory(at: Location): string;
  launch?: Launch;
  shell?: Shell;
  /** Returns the environment variables that the user allows or withholds. Called before each command. */
  environment?(): EnvironmentRules;
};

type Entry = {
  id: string;
  running: Running;
  /** The names of withheld variables that are reported to the model. */
  withheld: readonly string[];
  output: CommandOutput;
  state: CommandState;
  begun: number;
  durationMs?: number;
  /** The state of the command after it is stopped. */
  stopping?: CommandState;
  /** The line from which the next read continues. */
  next: number;
  done: Promise<void>;
};

/** The longest time for which the start of a background command is observed. It ends `QUIET_MS` after the last output. */
const FIRST_LOOK_MS = 2_000;
const QUIET_MS = 300;
/** How long a read waits for more output. */
const WAIT_MS = 5_000;
/** A stopped command is reported after this time, even if it is still running. */
const STOPPED_MS = 60;
const LIVE_LINES = 12;
const LIVE_CHARS = 2_000;
const LIVE_MS = 100;
/** Outputs are stored for a day. The states of the latest commands are kept in memory. */
const KEEP_MS = 24 * 60 * 60_000;
const KEEP_ENTRIES = 50;

export class Commands implements CommandRunner {
  readonly #options: CommandsOptions;
  readonly #shell: Shell;
  readonly #entries = new Map<string, Entry>();
  #isSwept = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#shell = options.shell ?? findShell();
  }

  get shell(): Shell['name'] {
    return this.#shell.name;
  }

  async run(spec: CommandSpec, { signal, onOutput }: { signal: AbortSignal; onOutput?(tail: string): void }): Promise<CommandResult> {
    const entry = await this.#start(spec, signal);
    const stop = () => this.#stop(entry, { kind: 'stopped' });
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const timer = spec.background ? undefined : setTimeout(() => this.#stop(entry, { kind: 'timed_out' }), spec.timeoutMs);
    const end = new AbortController();
    if (onOutput) void this.#report(entry, onOutput, end.signal);
    try {
      await Promise.race([spec.background ? this.#untilQuiet(entry) : entry.done, afterAbort(signal)]);
    } finally {
      clearTimeout(timer);
      end.abort();
      signal.removeEventListener('abort', stop);
    }
    const output = entry.output.excerpt();
    entry.next = output.gap?.from ?? entry.output.wholeLines + 1;
    const state = entry.state.kind === 'running' ? (entry.stopping ?? entry.state) : entry.state;
    const { id, withheld } = entry;
    const durationMs = entry.durationMs ?? Math.round(performance.now() - entry.begun);
    return { id, state, durationMs, output, ...(withheld.length > 0 && { withheld }) };
  }

  async read(id: string, fromLine: number | undefined, signal: AbortSignal): Promise<CommandLines | undefined> {
    const entry = this.#entries.get(id);
    if (!entry) return this.#readFile(id, fromLine);
    const from = fromLine ?? entry.next;
    const { output } = entry;
    if (output.lines < from && entry.state.kind === 'running') {
      await Promise.race([output.more(), entry.done, delay(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
    }
    const { text, to } = await output.read(from);
    entry.next = Math.min(to, output.wholeLines) + 1;
    return {
      text,
      from,
      to,
      now: { lines: output.lines, state: entry.state, durationMs: entry.durationMs ?? Math.round(performance.now() - entry.begun) },
    };
  }

  async stop(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    if (entry.state.kind === 'running') this.#stop(entry, { kind: 'stopped' });
    await entry.done;
    return true;
  }

  /** Stops all running commands. */
  dispose(): void {
    for (const entry of this.#entries.values()) if (entry.state.kind === 'running') this.#stop(entry, { kind: 'stopped' });
  }

  async #start({ text, cwd, background }: CommandSpec, signal: AbortSignal): Promise<Entry> {
    this.#sweep();
    const id = randomUUID().slice(0, 6);
    const launch = this.#options.launch ?? launchProcess;
    const withheld = withheldFrom(process.env, this.#options.environment?.() ?? NO_ENVIRONMENT_RULES);
    const { directory } = this.#options;
    const expectPlace = () => void directory(cwd);
    const spec = { text, cwd: directory(cwd), background, shell: this.#shell, withheld: withheld.names, expectPlace };
    const running = await launch(spec, signal);
    const output = new CommandOutput(this.#fileOf(id));
    const entry: Entry = {
      id,
      running,
      withheld: withheld.told,
      output,
      state: { kind: 'running' },
      begun: performance.now(),
      next: 1,
      done: Promise.resolve(),
    };
    entry.done = this.#follow(entry);
    this.#entries.set(id, entry);
    for (const [old, { state }] of this.#entries) {
      if (this.#entries.size <= KEEP_ENTRIES) break;
      if (state.kind !== 'running') this.#entries.delete(old);
    }
    return entry;
  }

  async #follow(entry: Entry): Promise<void> {
    const { running, output } = entry;
    const ending = await this.#drain(running, output).catch(() => ({}));
    entry.durationMs = Math.round(performance.now() - entry.begun);
    entry.state = entry.stopping ?? { kind: 'exited', ...ending };
    output.end();
  }

  async #drain(running: Running, output: CommandOutput): Promise<Ending> {
    for await (const text of running.output) output.write(text);
    return running.ended;
  }

  #stop(entry: Entry, why: CommandState): void {
    entry.stopping ??= why;
    entry.running.stop();
  }

  /** Resolves when a background command has produced output and is silent, when it ends, or after `FIRST_LOOK_MS`. */
  async #untilQuiet({ output, done }: Entry): Promise<void> {
    const end = new AbortController();
    const wait = (ms: number) => delay(ms, true, { signal: end.signal }).catch(() => true);
    const enough = wait(FIRST_LOOK_MS);
    const isOver = async (quiet: Promise<unknown>) =>
      (await Promise.race([output.more().then(() => 'more'), done, enough, quiet])) !== 'more';
    if (output.lines > 0 || !(await isOver(enough))) while (!(await isOver(wait(QUIET_MS)))) {}
    end.abort();
  }

  async #report({ output }: Entry, onOutput: (tail: string) => void, signal: AbortSignal): Promise<void> {
    let shown = '';
    while (!signal.aborted) {
      const more = output.more();
      const tail = output.tail(LIVE_LINES, LIVE_CHARS);
      if (tail !== shown) onOutput(tail);
      shown = tail;
      await Promise.race([more, afterAbort(signal, 0)]);
      await delay(LIVE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads the output of a command that is not in memory, for example because Kedge was restarted. Its state is unknown. */
  async #readFile(id: string, from = 1): Promise<CommandLines | undefined> {
    if (!/^[0-9a-f]{6}$/.test(id)) return undefined;
    try {
      const { text, to } = await linesFrom(this.#fileOf(id), from);
      return { text, from, to };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #fileOf(id: string): string {
    return join(this.#options.storage, `${id}.txt`);
  }

  #sweep(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    try {
      for (const name of readdirSync(this.#options.storage)) {
        const file = join(this.#options.storage, name);
        if (statSync(file).mtimeMs < Date.now() - KEEP_MS) rmSync(file);
      }
    } catch {
      // The directory does not exist yet, or another process is cleaning it up.
    }
  }
}

function afterAbort(signal: AbortSignal, afterMs = STOPPED_MS): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => void setTimeout(resolve, afterMs);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}
