import * as vscode from 'vscode';
import type { NotebookCell } from '../../../workspace/types.ts';

const TEXTS = ['text/plain', 'application/vnd.code.notebook.stdout', 'application/vnd.code.notebook.stderr'];
const ERROR = 'application/vnd.code.notebook.error';

/** Returns the cells of an open notebook that has unsaved changes. */
export function unsavedNotebook(uri: vscode.Uri): NotebookCell[] | undefined {
  const open = vscode.workspace.notebookDocuments.find((notebook) => notebook.isDirty && String(notebook.uri) === String(uri));
  return open?.getCells().map(({ kind, document, outputs }) => ({
    kind: kind === vscode.NotebookCellKind.Code ? 'code' : 'markdown',
    language: document.languageId,
    source: document.getText(),
    outputs: outputs.flatMap(({ items }) => items.flatMap(outputText)),
  }));
}

function outputText({ mime, data }: vscode.NotebookCellOutputItem): string[] {
  const text = () => new TextDecoder().decode(data);
  if (TEXTS.includes(mime)) return [text()];
  if (mime !== ERROR) return [];
  try {
    const { name, message } = JSON.parse(text()) as { name?: string; message?: string };
    return [[name, message].filter(Boolean).join(': ')];
  } catch {
    return [text()];
  }
}
