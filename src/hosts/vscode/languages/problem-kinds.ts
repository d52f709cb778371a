/** Of which kinds of files somebody found something in this window. It listens from the start: it may be put right before a run asks. */
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

/** What the file's name ends with. */
export function kindOf({ path }: vscode.Uri): string {
  return /\.?[^./]*$/.exec(path)?.[0] ?? path;
}
