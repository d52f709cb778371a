/** Opens the files and links that the user chooses in the panel. */
import * as vscode from 'vscode';
import type { ToHost } from '../../../protocol/panel.ts';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import type { Kedge } from '../kedge.ts';

type Window = Pick<Kedge, 'fs' | 'documents'>;

/** Opens what the user chose in the panel. */
export function open(message: Extract<ToHost, { type: 'open_file' | 'open_source' | 'open_link' }>, kedge: Window): Promise<void> {
  if (message.type === 'open_link') return openLink(message.url);
  return message.type === 'open_source' ? openSource(message.text, kedge) : openFile(message.path, message.line, kedge);
}

async function openFile(path: string, line: number | undefined, kedge: Window): Promise<void> {
  const { fs } = kedge;
  try {
    const uri = fs.uri(parsePath(path, fs.folders));
    const at = new vscode.Position((line ?? 1) - 1, 0);
    await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
  } catch (error) {
    // Models do not always cite a document in brackets.
    if (await openCited(line === undefined ? path : `${path}:${line}`, kedge)) return;
    throw error instanceof PathError ? error : new Error(`${path} could not be opened. Check that the file exists.`);
  }
}

/** Opens a document of a collection, such as `[handbook/guide.md:12-18]`. In brackets, models also name files of the workspace. */
export async function openSource(text: string, kedge: Window): Promise<void> {
  if (await openCited(text, kedge)) return;
  const [, path = text, line] = /^\[?(.+?)(?::(\d+)(?:[-–]\d+)?)?\]?$/.exec(text) ?? [];
  await openFile(path, line === undefined ? undefined : Number(line), kedge);
}

/** Returns false if there is no such document. */
async function openCited(text: string, kedge: Window): Promise<boolean> {
  const port = await (await kedge.documents()).collections.forRuns();
  return port !== undefined && (await import('../documents/open-source.ts')).openCited(text, port.collections);
}

/** Opens a link. VS Code itself asks before it opens an untrusted web page. */
async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme === 'command' && uri.path === 'kedge.connectModel') await vscode.commands.executeCommand('kedge.connectModel');
  else if (['https', 'http', 'mailto'].includes(uri.scheme)) await vscode.env.openExternal(uri);
}
