/** How the editor would tidy a text that is in no file yet: formatted, its imports in order. Nothing is applied, and no document of the user is touched. */
import * as vscode from 'vscode';
import { applyEdits } from '../../../workspace/text-edits.ts';
import { neutralEdit } from '../languages/languages.ts';

const SCHEME = 'kedge-draft';
const ORGANIZE = vscode.CodeActionKind.SourceOrganizeImports;

export class DraftFormatter implements vscode.Disposable {
  readonly #drafts = new Map<string, string>();
  readonly #provider: vscode.Disposable;
  #count = 0;

  constructor() {
    const provideTextDocumentContent = (uri: vscode.Uri) => this.#drafts.get(uri.toString());
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent });
  }

  dispose(): void {
    this.#provider.dispose();
  }

  /** As the user's settings say; undefined where they say nothing, and where nobody would change anything. */
  async format(file: vscode.Uri, text: string): Promise<string | undefined> {
    const settings = vscode.workspace.getConfiguration('kedge.edits', file);
    let now = text;
    if (settings.get('organizeImports', false)) now = await this.#with(file, now, importEdits);
    if (settings.get('format', false)) now = await this.#with(file, now, (draft) => formatEdits(draft, file));
    return now === text ? undefined : now;
  }

  /** Formatters work on documents: the text is shown to them as one of the same path, which no file is behind. */
  async #with(file: vscode.Uri, text: string, ask: (draft: vscode.TextDocument) => Promise<vscode.TextEdit[]>): Promise<string> {
    const uri = file.with({ scheme: SCHEME, query: String(++this.#count), fragment: '' });
    this.#drafts.set(uri.toString(), text);
    try {
      const draft = await vscode.workspace.openTextDocument(uri);
      // A document that normalises its text would put edits in other places.
      return draft.getText() === text ? applyEdits(text, (await ask(draft)).map(neutralEdit)) : text;
    } finally {
      this.#drafts.delete(uri.toString());
    }
  }
}

async function formatEdits({ uri, languageId }: vscode.TextDocument, file: vscode.Uri): Promise<vscode.TextEdit[]> {
  const own = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === file.toString())?.options;
  const settings = vscode.workspace.getConfiguration('editor', { uri: file, languageId });
  const options = {
    tabSize: own?.tabSize ?? settings.get('tabSize', 4),
    insertSpaces: own?.insertSpaces ?? settings.get('insertSpaces', true),
  };
  return (await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>('vscode.executeFormatDocumentProvider', uri, options)) ?? [];
}

async function importEdits({ uri, lineCount }: vscode.TextDocument): Promise<vscode.TextEdit[]> {
  const all = new vscode.Range(0, 0, lineCount, 0);
  const found = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    'vscode.executeCodeActionProvider',
    uri,
    all,
    ORGANIZE.value,
    3,
  );
  // What needs a command to be carried out would be done behind the back of the user.
  const action = (found ?? []).find(({ kind, edit, command }) => kind && ORGANIZE.contains(kind) && edit && !command);
  return action?.edit?.get(uri) ?? [];
}
