/** Runs a command on a pseudo terminal, with the node-pty that comes with VS Code. */
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Ending, HINTS, type LaunchSpec, type Running } from '../../node/commands/process.ts';
import { ProcessGroup } from '../../node/commands/process-group.ts';

export type Size = { columns: number; rows: number };
/** A command that accepts input from a terminal. */
export type Interactive = Running & { write(text: string): void; resize(size: Size): void };

type Exit = { exitCode: number; signal?: number };
/** The parts of node-pty that are used. */
type Pty = {
  readonly pid: number;
  onData(listener: (text: string) => void): unknown;
  onExit(listener: (exit: Exit) => void): unknown;
  write(text: string): void;
  resize(columns: number, rows: number): void;
};
type PtyOptions = { cwd: string; env: Record<string, string | undefined>; cols: number; rows: number; name: string };
type NodePty = { spawn(file: string, args: readonly string[], options: PtyOptions): Pty };

/** How long processes that the command left behind may run after it. */
const SETTLE_MS = 150;

let module: NodePty | false | undefined;

/** Builds of VS Code contain node-pty in different places, and some do not contain it. */
function nodePty(): NodePty | undefined {
  if (module !== undefined) return module || undefined;
  const require = createRequire(join(vscode.env.appRoot, 'package.json'));
  for (const modules of ['node_modules', 'node_modules.asar.unpacked', 'node_modules.asar']) {
    try {
      module = require(join(vscode.env.appRoot, modules, 'node-pty')) as NodePty;
      return module;
    } catch {
      // node-pty is not in this directory, or is not built for this platform.
    }
  }
  module = false;
  return undefined;
}

/** Starts the command without changing it, with an empty input. Returns undefined if this is not possible here. */
export function launchPty(spec: LaunchSpec, { columns, rows }: Size): Interactive | undefined {
  const { text, cwd, shell, withheld, expectPlace } = spec;
  const pty = shell.name === 'powershell' ? undefined : nodePty();
  if (!pty) return undefined;
  const inherited = Object.entries(process.env).filter(([name]) => !withheld.includes(name) && name !== 'BASH_ENV' && name !== 'ENV');
  const env = { ...Object.fromEntries(inherited), TERM: 'xterm-256color', ...HINTS };
  const options = shell.name === 'bash' ? ['--norc', '--noprofile', '-c'] : ['-c'];
  expectPlace();
  const args = ['-c', 'exec "$@" </dev/null', 'sh', shell.path, ...options, text];
  let child: Pty;
  try {
    child = pty.spawn('/bin/sh', args, { cwd, env, cols: columns, rows, name: 'xterm-256color' });
  } catch {
    return undefined;
  }
  const group = new ProcessGroup(child);
  const output = new Queue();
  child.onData((data) => output.add(data));
  const ended = new Promise<Ending>((resolve) => {
    child.onExit(async ({ exitCode, signal }) => {
      const leftovers = !(await group.gone(SETTLE_MS));
      if (leftovers) group.stop();
      group.forget();
      output.end();
      const name = signal ? Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] : undefined;
      resolve({ ...(name ? { signal: name } : { code: exitCode }), ...(leftovers && { leftovers }) });
    });
  });
  return {
    output: output.read(),
    ended,
    stop: () => group.stop(),
    write: (typed) => child.write(typed),
    resize(size) {
      try {
        child.resize(size.columns, size.rows);
      } catch {
        // The command has ended.
      }
    },
  };
}

/** A queue of texts, which are read in the order in which they were added. */
class Queue {
  #texts: string[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  add(text: string): void {
    this.#texts.push(text);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<string> {
    for (;;) {
      const texts = this.#texts;
      this.#texts = [];
      yield* texts;
      if (this.#texts.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
