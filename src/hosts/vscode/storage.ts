/** The directories in which the extension stores data. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { realPath } from '../node/files/file-system.ts';
import { moveStorage } from '../node/move-storage.ts';
import { storageDirectory, workspaceStorage } from '../node/storage.ts';
import { notificationText } from './notification-text.ts';

/**
 * `storage` is for the data of this workspace, and `sharedStorage` for the data of all workspaces. `root` is the real path of the folder if
 * the terminal program uses the same storage.
 */
export type Storage = { storage: string; sharedStorage: string; root?: string };

/**
 * A window with one local folder stores its data where the terminal program does, so that a session can be continued in both. Other windows
 * use the directories that VS Code provides, because their set of folders can change or is not on a disk.
 */
export function storageOf(context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri' | 'workspaceState'>): Storage {
  const own = (context.storageUri ?? context.globalStorageUri).fsPath;
  try {
    const sharedStorage = storageDirectory();
    const [folder, ...others] = vscode.workspace.workspaceFolders ?? [];
    const root = folder?.uri.scheme === 'file' && others.length === 0 ? realPath(folder.uri.fsPath) : undefined;
    if (root === undefined) return { storage: own, sharedStorage };
    const storage = workspaceStorage(sharedStorage, [root]);
    // Version 0.1.0 used the directory of VS Code.
    const problem = moveStorage(own, storage);
    if (problem) tellOnce(context.workspaceState, problemText(own, storage, problem));
    return problem && !existsSync(join(storage, 'sessions')) ? { storage: own, sharedStorage } : { storage, sharedStorage, root };
  } catch {
    // This fails if the home folder is unknown or the workspace folder cannot be read.
    return { storage: own, sharedStorage: context.globalStorageUri.fsPath };
  }
}

function problemText(from: string, to: string, { message }: Error): string {
  return `Sessions of an earlier version of Kedge could not be moved from ${from} to ${to}: ${message.replace(/\.?$/, '.')} Kedge tries again each time it starts. Close other programs that use these files, or move the content of the folders blobs and sessions yourself.`;
}

const TOLD_KEY = 'kedge.storageProblem';

function tellOnce(memory: vscode.Memento, problem: string): void {
  if (memory.get(TOLD_KEY) === problem) return;
  void memory.update(TOLD_KEY, problem);
  void vscode.window.showWarningMessage(notificationText(problem));
}
