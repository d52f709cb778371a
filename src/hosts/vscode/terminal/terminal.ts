/** Runs commands in the integrated terminal, where the user sees them, or in plain processes if shell integration is not available. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { type Ending, HINTS, type Launch, type LaunchSpec, launchProcess, type Running } from '../../node/commands/process.ts';
import { GRACE_MS } from '../../node/commands/process-group.ts';
import { TERMINAL_NAME as NAME } from './terminal-name.ts';
import { typedCommand } from './terminal-quote.ts';

/** How long to wait for the shell integration of a new terminal, unless the caller sets another time. */
const READY_MS = 5_000;
/** How long to wait for the last output after a command has ended. */
const LAST_OUTPUT_MS = 250;
/** Longer commands run in a plain process, because typing them into a terminal would take seconds. */
const MAX_TYPED_CHARS = 4_000;

export class Terminals implements vscode.Disposable {
  /** Terminals that can be reused, because no command is running in them. */
  readonly #idle = new Set<vscode.Terminal>();
  readonly #all = new Set<vscode.Terminal>();
  readonly #disposables: vscode.Disposable[];
  readonly #readyMs: number;
  /** True after shell integration has failed to start, so that Kedge does not wait for it again. */
  #hasNoIntegration = false;

  constructor(readyMs = READY_MS) {
    this.#readyMs = readyMs;
    this.#disposables = [
      vscode.window.onDidCloseTerminal((terminal) => {
        this.#idle.delete(terminal);
        this.#all.delete(terminal);
      }),
      // A terminal in which the user starts a command is no longer idle.
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#idle.delete(terminal)),
    ];
  }

  readonly launch: Launch = async (spec, signal) => {
    const shell = await this.#ready(spec, signal);
    return shell ? this.#run(spec, shell) : launchProcess(spec, signal);
  };

  dispose(): void {
    for (const terminal of this.#all) terminal.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #ready(spec: LaunchSpec, signal: AbortSignal): Promise<vscode.TerminalShellIntegration | undefined> {
    const isOn = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration').get('enabled', true);
    if (spec.shell.name !== 'bash' || spec.text.length > MAX_TYPED_CHARS || !isOn || this.#hasNoIntegration) return undefined;
    const [idle] = spec.background ? [] : this.#idle;
    if (idle?.shellIntegration) {
      this.#idle.delete(idle);
      return idle.shellIntegration;
    }
    const terminal = this.#create(spec);
    const shell = await integrationOf(terminal, this.#readyMs, signal);
    if (shell || signal.aborted) return shell;
    this.#hasNoIntegration = true;
    terminal.dispose();
    return undefined;
  }

  #create({ text, cwd, background, shell, withheld }: LaunchSpec): vscode.Terminal {
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd));
    const terminal = vscode.window.createTerminal({
      name: background ? `${NAME}: ${text.slice(0, 30)}` : NAME,
      shellPath: shell.path,
      cwd: folder?.uri ?? cwd,
      env: { ...HINTS, BASH_ENV: null, ENV: null, ...Object.fromEntries(withheld.map((name) => [name, null])) },
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
    });
    this.#all.add(terminal);
    if (this.#all.size === 1) terminal.show(true);
    return terminal;
  }

  #run(spec: LaunchSpec, shell: vscode.TerminalShellIntegration): Running {
    const terminal = [...this.#all].find(({ shellIntegration }) => shellIntegration === shell);
    if (!terminal) throw new Error('The terminal was closed before the command started. Run the command again.');
    spec.expectPlace();
    const execution = shell.executeCommand(typedCommand(spec, shell.cwd?.fsPath));
    const read = execution.read();
    let isOver = false;
    let isStopped = false;
    const ended = endOf(execution, terminal).then((ending) => {
      isOver = true;
      if (!spec.background && terminal.exitStatus === undefined) this.#idle.add(terminal);
      if (spec.background && isStopped) terminal.dispose();
      return ending;
    });
    const stop = () => {
      if (isOver || isStopped) return;
      isStopped = true;
      terminal.sendText('\u0003', false);
      setTimeout(() => void (isOver || killProcesses(terminal)), GRACE_MS).unref();
    };
    return { output: until(read, ended), ended, stop };
  }
}

function integrationOf(
  terminal: vscode.Terminal,
  readyMs: number,
  signal: AbortSignal,
): Promise<vscode.TerminalShellIntegration | undefined> {
  return new Promise((resolve) => {
    const end = (shell?: vscode.TerminalShellIntegration) => {
      clearTimeout(timer);
      listener.dispose();
      signal.removeEventListener('abort', abandon);
      resolve(shell);
    };
    const abandon = () => end();
    const timer = setTimeout(abandon, readyMs);
    const listener = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal === terminal) end(event.shellIntegration);
    });
    signal.addEventListener('abort', abandon, { once: true });
    if (terminal.shellIntegration) end(terminal.shellIntegration);
  });
}

function endOf(execution: vscode.TerminalShellExecution, terminal: vscode.Terminal): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (code: number | undefined) => {
      for (const listener of listeners) listener.dispose();
      resolve(code === undefined ? {} : { code });
    };
    const listeners = [
      vscode.window.onDidEndTerminalShellExecution((event) => event.execution === execution && end(event.exitCode)),
      vscode.window.onDidCloseTerminal((closed) => closed === terminal && end(closed.exitStatus?.code)),
    ];
  });
}

/** Yields the output until the command has ended. VS Code does not end the output of a closed terminal. */
async function* until(output: AsyncIterable<string>, ended: Promise<unknown>): AsyncGenerator<string> {
  const timeUp = ended.then(() => new Promise<undefined>((resolve) => setTimeout(resolve, LAST_OUTPUT_MS, undefined)));
  const iterator = output[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), timeUp]);
    if (!next || next.done) return;
    yield next.value;
  }
}

/** Kills a command that did not react to Ctrl+C together with its child processes, and closes the terminal. */
async function killProcesses(terminal: vscode.Terminal): Promise<void> {
  const shell = await terminal.processId;
  for (const pid of shell === undefined ? [] : await descendantsOf(shell)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  terminal.dispose();
}

async function descendantsOf(root: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }));
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const pids = [root];
  for (const parent of pids) for (const [pid, ppid] of pairs) if (pid && ppid === parent) pids.push(pid);
  return pids.slice(1);
}
