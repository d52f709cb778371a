/** Formats a proposed text and organizes its imports with the editor's services, without changing any of the user's files or documents. */
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

  /** Formats the text and organizes its imports if the settings request it. Resolves to undefined if the text does not change. */
  async format(file: vscode.Uri, text: string): Promise<string | undefined> {
    const settings = vscode.workspace.getConfiguration('kedge.edits', file);
    let result = text;
    if (settings.get('organizeImports', false)) result = await this.#editDraft(file, result, importEdits);
    if (settings.get('format', false)) result = await this.#editDraft(file, result, (draft) => formatEdits(draft, file));
    return result === text ? undefined : result;
  }

  /** Formatters need a document, so the text is opened as a virtual document with the same path. */
  async #editDraft(file: vscode.Uri, text: string, editsOf: (draft: vscode.TextDocument) => Promise<vscode.TextEdit[]>): Promise<string> {
    const uri = file.with({ scheme: SCHEME, query: String(++this.#count), fragment: '' });
    this.#drafts.set(uri.toString(), text);
    try {
      const draft = await vscode.workspace.openTextDocument(uri);
      // If the document normalized the text, the positions of the edits would not fit the original.
      return draft.getText() === text ? applyEdits(text, (await editsOf(draft)).map(neutralEdit)) : text;
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
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    'vscode.executeCodeActionProvider',
    uri,
    all,
    ORGANIZE.value,
    3,
  );
  // An action with a command is skipped, because the command would change files without the user's approval.
  const action = (actions ?? []).find(({ kind, edit, command }) => kind && ORGANIZE.contains(kind) && edit && !command);
  return action?.edit?.get(uri) ?? [];
}
