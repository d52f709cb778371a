/**
 * Records for which file extensions a language service has reported problems in this window. It listens from activation on, because the
 * problems may be fixed before a run queries them.
 */
import * as vscode from 'vscode';

export class ProblemKinds implements vscode.Disposable {
  readonly #kinds = new Set<string>();
  readonly #listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) if (vscode.languages.getDiagnostics(uri).length > 0) this.#kinds.add(kindOf(uri));
  });

  has(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

/** Returns the extension of a file's name. */
export function kindOf({ path }: vscode.Uri): string {
  return /\.?[^./]*$/.exec(path)?.[0] ?? path;
}
