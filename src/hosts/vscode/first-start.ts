/** Introduces Kedge once in each profile of VS Code by opening the panel and the walkthrough. */
import * as vscode from 'vscode';

const KEY = 'kedge.introduced';
export const WALKTHROUGH = 'kedge.kedge#start';

export async function introduce({ globalState, extensionMode }: vscode.ExtensionContext): Promise<void> {
  if (globalState.get<boolean>(KEY) || extensionMode === vscode.ExtensionMode.Test) return;
  // This is stored first, so that only one of several windows that are restored together introduces Kedge.
  await globalState.update(KEY, true);
  // VS Code's own Chat is in front of the panel in the same side bar. The user may already be typing elsewhere, so the focus stays there.
  await vscode.commands.executeCommand('kedge.panel.focus', { preserveFocus: true });
  if (vscode.workspace.getConfiguration('workbench').get<boolean>('welcomePage.walkthroughs.openOnInstall') !== false)
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, { inactive: true });
}
