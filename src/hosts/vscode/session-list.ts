/** Shows the list of sessions, in which the user opens or deletes sessions. */
import * as vscode from 'vscode';
import type { SessionInfo } from '../../sessions/store.ts';
import type { Kedge } from './kedge.ts';
import type { Panel } from './panel/panel.ts';

type Item = vscode.QuickPickItem & { id: string };

const DELETE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete Session' };

export async function openSession(kedge: Pick<Kedge, 'assistant' | 'sessions'>, panel: Panel): Promise<void> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = 'Kedge: Open Session';
  list.placeholder = 'Select a session to open';
  list.matchOnDescription = true;
  const fill = async () => {
    const currentId = (await kedge.sessions.current()).id;
    list.items = (await kedge.assistant.sessions()).map((info) => itemOf(info, info.id === currentId));
    if (list.items.length === 0) list.placeholder = 'There are no sessions yet';
  };
  await fill();
  list.onDidTriggerItemButton(async ({ item }) => {
    list.ignoreFocusOut = true;
    try {
      if (await confirmDelete(item.label)) await remove(kedge, item.id);
      await fill();
    } catch (error) {
      void vscode.window.showWarningMessage((error as Error).message);
    }
    list.ignoreFocusOut = false;
    list.show();
  });
  const chosen = await new Promise<Item | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidHide(() => {
      if (!list.ignoreFocusOut) resolve(undefined);
    });
    list.show();
  });
  list.dispose();
  if (!chosen) return;
  await kedge.sessions.show(await kedge.sessions.byId(chosen.id));
  await panel.reveal();
}

function itemOf({ id, title, changedAt }: SessionInfo, isCurrent: boolean): Item {
  const at = new Date(changedAt).toLocaleString();
  return { id, label: title || 'Untitled', description: isCurrent ? `${at} · current session` : at, buttons: [DELETE] };
}

async function confirmDelete(title: string): Promise<boolean> {
  const detail = 'The files that the session changed stay as they are, but Kedge can no longer restore them.';
  return (await vscode.window.showWarningMessage(`Delete the session "${title}"?`, { modal: true, detail }, 'Delete')) === 'Delete';
}

/** @throws SessionError while a run or an undo is in progress in the session */
async function remove(kedge: Pick<Kedge, 'assistant' | 'sessions'>, id: string): Promise<void> {
  await kedge.assistant.removeSession(id);
  if ((await kedge.sessions.current()).id === id) await kedge.sessions.show(kedge.assistant.newSession());
}
