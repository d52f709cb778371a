/** Opens the folder of a session of another workspace. The window of that folder then shows the session. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionElsewhere } from '../../../../app/library/elsewhere.ts';
import { notificationText } from '../../notification-text.ts';
import { ASKED } from '../../session-elsewhere.ts';

/** @param storage the storage directory of the workspace */
export function askToShow(storage: string, id: string): void {
  writeFileSync(join(storage, ASKED), JSON.stringify({ id, at: Date.now() }), { mode: 0o600 });
}

/** Asks the user, and opens the folder of the session in a new window. `storage` is the storage directory of its workspace. */
export async function openElsewhere({ id, title, workspace, folders }: SessionElsewhere, storage: string): Promise<void> {
  const [folder, ...others] = folders;
  if (folder === undefined || others.length > 0) {
    const where = folders.length > 0 ? `the folders ${folders.join(', ')}` : `a folder named ${workspace}`;
    return void vscode.window.showInformationMessage(notificationText(`“${title}” belongs to ${where}. Open them to continue it.`));
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return void vscode.window.showWarningMessage(
      notificationText(`“${title}” belongs to ${folder}, which no longer exists. Restore the folder to continue the session.`),
    );
  const open = 'Open in New Window';
  const detail = notificationText(`The session “${title}” belongs to ${folder}. It is continued there, with the rules of that workspace.`);
  const chosen = await vscode.window.showInformationMessage(notificationText(`Open ${workspace}?`), { modal: true, detail }, open);
  if (chosen !== open) return;
  askToShow(storage, id);
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), { forceNewWindow: true });
}
