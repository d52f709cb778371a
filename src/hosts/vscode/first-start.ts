/** Introduces Kedge once in each profile of VS Code: with the panel in front, and with the walkthrough. */
import * as vscode from 'vscode';

const KEY = 'kedge.introduced';
export const WALKTHROUGH = 'kedge.kedge#start';

export async function introduce({ globalState, extensionMode }: vscode.ExtensionContext): Promise<void> {
  if (globalState.get<boolean>(KEY) || extensionMode === vscode.ExtensionMode.Test) return;
  // It is stored first, so that several windows that are restored together introduce it once.
  await globalState.update(KEY, true);
  // VS Code's own Chat is in front in the same side bar. The user may already be typing elsewhere, so the focus stays there.
  await vscode.commands.executeCommand('kedge.panel.focus', { preserveFocus: true });
  if (vscode.workspace.getConfiguration('workbench').get<boolean>('welcomePage.walkthroughs.openOnInstall') !== false)
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, { inactive: true });
}
