/**
 * Remembers the output of the last command in one of the user's terminals, in memory only. VS Code reports it for shells with shell
 * integration.
 */
import * as vscode from 'vscode';

/** The maximum number of characters that are kept from the end of an output. */
const MAX_CHARS = 32_000;

/** `raw` may contain control sequences of the terminal. `exitCode` is missing while the command runs. */
export type Executed = { command: string; raw: string; isCut: boolean; exitCode?: number | undefined };

export class LastOutput implements vscode.Disposable {
  #last: Executed | undefined;
  readonly #disposables: vscode.Disposable[];

  /** Ignores empty commands, and those in terminals with the name `ownName`, which are Kedge's. */
  constructor(ownName: string) {
    const executions = new WeakMap<vscode.TerminalShellExecution, Executed>();
    this.#disposables = [
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (terminal.name === ownName || execution.commandLine.value.trim() === '') return;
        const executed: Executed = { command: execution.commandLine.value, raw: '', isCut: false };
        executions.set(execution, executed);
        this.#last = executed;
        void record(execution, executed);
      }),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        const executed = executions.get(execution);
        if (executed) executed.exitCode = exitCode;
      }),
    ];
  }

  get last(): Executed | undefined {
    return this.#last;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

async function record(execution: vscode.TerminalShellExecution, executed: Executed): Promise<void> {
  for await (const data of execution.read()) {
    const raw = executed.raw + data;
    // The margin avoids copying the text for each chunk of a long output.
    if (raw.length > 2 * MAX_CHARS) executed.isCut = true;
    executed.raw = raw.length > 2 * MAX_CHARS ? raw.slice(-MAX_CHARS) : raw;
  }
}
