/** Writes through one WorkspaceEdit, so that Ctrl+Z undoes a change and open editors show it. */
import * as vscode from 'vscode';
import { decodeText, sameBytes } from '../../../workspace/content.ts';
import { differingLines } from '../../../workspace/text-edits.ts';
import type { FileChange, Writer } from '../../../workspace/types.ts';
import { unsavedDocument, type VsCodeFileSystem } from './file-system.ts';

export class VsCodeWriter implements Writer {
  readonly #fs: VsCodeFileSystem;

  constructor(fs: VsCodeFileSystem) {
    this.#fs = fs;
  }

  async commit(all: readonly FileChange[]): Promise<void> {
    const changes = all.filter(({ path }) => !path.endsWith('/'));
    await this.#commitDirectories(all.filter(({ path }) => path.endsWith('/')));
    if (changes.length === 0) return;
    const edit = new vscode.WorkspaceEdit();
    const toSave: { document: vscode.TextDocument; after: Uint8Array }[] = [];
    const toWrite: { uri: vscode.Uri; after: Uint8Array }[] = [];
    const moved = new Set(changes.flatMap((change) => (isPureMove(change, changes) ? [change.movedFrom as string] : [])));

    for (const change of changes) {
      const uri = this.#fs.uri(change.at);
      const { before, after } = change;
      if (isPureMove(change, changes)) {
        const source = changes.find(({ path }) => path === change.movedFrom) as FileChange;
        edit.renameFile(this.#fs.uri(source.at), uri, { overwrite: false });
      } else if (!after) {
        if (!moved.has(change.path)) edit.deleteFile(uri);
      } else if (!before) {
        edit.createFile(uri, { contents: after, overwrite: false });
      } else {
        const document = await editableDocument(uri, before);
        const text = document && decodeText(after);
        if (document && text !== undefined) {
          // Only the differing lines are replaced, so that cursors and folds elsewhere stay in place.
          const { from, to, text: lines } = differingLines(document.getText(), withoutBom(text));
          edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), lines);
          // A document with unsaved changes is not saved, because the user has not saved them.
          if (!document.isDirty) toSave.push({ document, after });
        } else toWrite.push({ uri, after });
      }
    }

    // VS Code rejects an empty edit, and `edit.size` does not count created, moved and deleted files.
    if (toWrite.length < changes.length && !(await vscode.workspace.applyEdit(edit)))
      throw new Error('VS Code did not apply the change. Try again.');
    await saveAll(toSave.map(({ document }) => document));
    for (const { uri, after } of toWrite) await vscode.workspace.fs.writeFile(uri, after);
    // Saving may run formatters, or fail. The file must contain exactly the approved text, so any difference is overwritten.
    for (const { document, after } of toSave) {
      const written = await vscode.workspace.fs.readFile(document.uri);
      if (!sameBytes(written, after)) await vscode.workspace.fs.writeFile(document.uri, after);
    }
  }

  /** A WorkspaceEdit cannot create or delete directories. A directory that is not empty is not deleted. */
  async #commitDirectories(directories: readonly FileChange[]): Promise<void> {
    for (const { at, after } of directories) {
      if (after) await vscode.workspace.fs.createDirectory(this.#fs.uri(at));
      else await vscode.workspace.fs.delete(this.#fs.uri(at), { recursive: false });
    }
  }
}

const BATCH_SIZE = 16;
const MAX_TRIES = 3;

/**
 * Saves in batches and retries: if many documents are open, VS Code closes the oldest documents, and does not save a document that it is
 * closing. A failed save is not reported, because the caller compares the disk with the expected contents.
 */
async function saveAll(documents: readonly vscode.TextDocument[]): Promise<void> {
  const save = async ({ uri }: vscode.TextDocument) => {
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const document = await vscode.workspace.openTextDocument(uri);
      if (!document.isDirty || (await document.save())) return;
    }
  };
  for (let at = 0; at < documents.length; at += BATCH_SIZE) await Promise.allSettled(documents.slice(at, at + BATCH_SIZE).map(save));
}

function isPureMove(change: FileChange, changes: readonly FileChange[]): boolean {
  if (!change.movedFrom || change.before || !change.after) return false;
  const source = changes.find(({ path }) => path === change.movedFrom);
  return source !== undefined && !source.after && sameBytes(source.before, change.after);
}

/**
 * Opens the document of a file if it contains exactly the text that the change starts from. A document that normalizes its
 * file (mixed line endings, another encoding) would change more than was approved, so undefined is returned for it.
 */
async function editableDocument(uri: vscode.Uri, before: Uint8Array): Promise<vscode.TextDocument | undefined> {
  const text = decodeText(before);
  if (text === undefined) return undefined;
  const document = unsavedDocument(uri) ?? (await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined));
  return document?.getText() === withoutBom(text) ? document : undefined;
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
