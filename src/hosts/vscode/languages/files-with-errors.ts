/**
 * Keeps track of which files have errors. For an event about a few files, only these files are checked, and not all problems in the
 * workspace.
 */
import * as vscode from 'vscode';

type Problems = readonly Pick<vscode.Diagnostic, 'severity'>[];

export class FilesWithErrors implements vscode.Disposable {
  readonly #files = new Set<string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listener: vscode.Disposable;
  readonly #isCounted: (uri: vscode.Uri) => boolean;
  /** Fires when the first error appears, and when the last error is fixed. */
  readonly onDidChange = this.#changed.event;

  /** `isCounted` chooses the files. Without it, all files count. */
  constructor(isCounted: (uri: vscode.Uri) => boolean = () => true) {
    this.#isCounted = isCounted;
    for (const [uri, problems] of vscode.languages.getDiagnostics()) this.#note(uri, problems);
    this.#listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const hadErrors = this.any;
      for (const uri of uris) this.#note(uri, vscode.languages.getDiagnostics(uri));
      if (this.any !== hadErrors) this.#changed.fire();
    });
  }

  get any(): boolean {
    return this.#files.size > 0;
  }

  #note(uri: vscode.Uri, problems: Problems): void {
    const key = uri.toString();
    if (this.#isCounted(uri) && problems.some(({ severity }) => severity === vscode.DiagnosticSeverity.Error)) this.#files.add(key);
    else this.#files.delete(key);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}
