import * as vscode from 'vscode';
import { NodeFileSystem } from '../../node/files/file-system.ts';

/** Returns the folders of the window that are on a disk of the computer on which Kedge runs. */
export function localFolders(): NodeFileSystem {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return new NodeFileSystem(folders.map(({ uri }) => uri.fsPath));
}
