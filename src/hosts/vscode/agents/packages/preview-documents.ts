/** Read-only documents with texts of packages that are not stored. */
import * as vscode from 'vscode';
import { registerReadOnly } from '../../files/blob-documents.ts';

const SCHEME = 'kedge-package';

export class PreviewDocuments implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;

  constructor() {
    this.#registration = registerReadOnly(SCHEME, async ({ path }) => this.#texts.get(path) ?? 'This preview is closed.');
  }

  /** Returns the address of a document. Each call needs another name. */
  add(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.#texts.set(uri.path, text);
    return uri;
  }

  /** Closes the tabs with these documents. */
  dispose(): void {
    const isOwn = (uri: vscode.Uri | undefined) => uri?.scheme === SCHEME && this.#texts.has(uri.path);
    const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) =>
      all.filter(({ input }) => {
        const { uri, modified, textDiffs } = (input ?? {}) as {
          uri?: vscode.Uri;
          modified?: vscode.Uri;
          textDiffs?: { modified: vscode.Uri }[];
        };
        return isOwn(uri) || isOwn(modified) || textDiffs?.some((diff) => isOwn(diff.modified));
      }),
    );
    void vscode.window.tabGroups.close(tabs).then(
      () => this.#registration.dispose(),
      () => this.#registration.dispose(),
    );
  }
}
