/** Read-only documents with texts of packages that are not stored. */
import * as vscode from 'vscode';
import { registerReadOnly } from '../../files/blob-documents.ts';

const SCHEME = 'kedge-package';
/** The texts of all previews by their paths. */
const texts = new Map<string, string>();
let isRegistered = false;

/** The documents of one question. */
export class PreviewDocuments {
  readonly #id = crypto.randomUUID().slice(0, 8);

  constructor() {
    if (isRegistered) return;
    // It stays registered until the extension host ends.
    isRegistered = true;
    registerReadOnly(SCHEME, async ({ path }) => texts.get(path) ?? 'This preview is closed.');
  }

  /** Returns the address of a document. Each call needs another name. */
  add(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${this.#id}/${name}` });
    texts.set(uri.path, text);
    return uri;
  }

  /** Closes the tabs with these documents. */
  async close(): Promise<void> {
    const isOwn = (uri: vscode.Uri | undefined) => uri?.scheme === SCHEME && uri.path.startsWith(`/${this.#id}/`);
    const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) =>
      all.filter(({ input }) => {
        const { uri, textDiffs } = (input ?? {}) as { uri?: vscode.Uri; textDiffs?: { modified: vscode.Uri }[] };
        return isOwn(uri) || textDiffs?.some(({ modified }) => isOwn(modified));
      }),
    );
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
    for (const path of texts.keys()) if (path.startsWith(`/${this.#id}/`)) texts.delete(path);
  }
}
