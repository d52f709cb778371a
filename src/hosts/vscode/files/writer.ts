/** Writes through one WorkspaceEdit, so that Ctrl+Z takes a change back and open editors take part in it. */
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
          // Cursors and folds elsewhere stay where they are.
          const { from, to, text: lines } = differingLines(document.getText(), withoutBom(text));
          edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), lines);
          // What the user has not saved is not saved behind the user's back.
          if (!document.isDirty) toSave.push({ document, after });
        } else toWrite.push({ uri, after });
      }
    }

    // An edit without anything is refused, and `edit.size` does not count files made, moved and deleted.
    if (toWrite.length < changes.length && !(await vscode.workspace.applyEdit(edit))) throw new Error('The editor refused the change.');
    await saveAll(toSave.map(({ document }) => document));
    for (const { uri, after } of toWrite) await vscode.workspace.fs.writeFile(uri, after);
    // Saving may run formatters, or fail. What lands is what was shown, so their work is taken back, and what is missing is written.
    for (const { document, after } of toSave) {
      const landed = await vscode.workspace.fs.readFile(document.uri);
      if (!sameBytes(landed, after)) await vscode.workspace.fs.writeFile(document.uri, after);
    }
  }

  /** A WorkspaceEdit knows no directories. One that is not empty stays. */
  async #commitDirectories(directories: readonly FileChange[]): Promise<void> {
    for (const { at, after } of directories) {
      if (after) await vscode.workspace.fs.createDirectory(this.#fs.uri(at));
      else await vscode.workspace.fs.delete(this.#fs.uri(at), { recursive: false });
    }
  }
}

const AT_ONCE = 16;
const TRIES = 3;

/**
 * Of many documents the editor closes those that it opened first, and opens them again for the edit; one that is just being closed is not
 * saved. What is not saved in the end is the caller's to find, by what then stands on the disk.
 */
async function saveAll(documents: readonly vscode.TextDocument[]): Promise<void> {
  const save = async ({ uri }: vscode.TextDocument) => {
    for (let tried = 0; tried < TRIES; tried++) {
      const document = await vscode.workspace.openTextDocument(uri);
      if (!document.isDirty || (await document.save())) return;
    }
  };
  for (let at = 0; at < documents.length; at += AT_ONCE) await Promise.allSettled(documents.slice(at, at + AT_ONCE).map(save));
}

function isPureMove(change: FileChange, changes: readonly FileChange[]): boolean {
  if (!change.movedFrom || change.before || !change.after) return false;
  const source = changes.find(({ path }) => path === change.movedFrom);
  return source !== undefined && !source.after && sameBytes(source.before, change.after);
}

/**
 * The open (or opened) document of a file, when it holds exactly the text that the change starts from. A document that
 * normalises its file (mixed line endings, another encoding) would write more than was shown: then there is none.
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
