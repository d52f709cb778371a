/** Opens the files and links that the user chooses in the panel. */
import * as vscode from 'vscode';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import type { Kedge } from '../kedge.ts';

export async function openFile(path: string, line: number | undefined, fs: Kedge['fs']): Promise<void> {
  try {
    const uri = fs.uri(parsePath(path, fs.folders));
    const at = new vscode.Position((line ?? 1) - 1, 0);
    await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
  } catch (error) {
    throw error instanceof PathError ? error : new Error(`${path} could not be opened. Check that the file exists.`);
  }
}

/** Opens a link. VS Code itself asks before it opens an untrusted web page. */
export async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme === 'command' && uri.path === 'kedge.connectModel') await vscode.commands.executeCommand('kedge.connectModel');
  else if (['https', 'http', 'mailto'].includes(uri.scheme)) await vscode.env.openExternal(uri);
}
