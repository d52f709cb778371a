/** Shows an error in the panel. If another window has deleted the shown session, Kedge offers to restore it. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import type { ToPanel } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';

/** The sessions for which an offer is open. */
const offered = new Set<string>();

export function showError(error: unknown, kedge: Kedge, post: (message: ToPanel) => void): void {
  const show = (each: unknown) => {
    const text = each instanceof Error ? each.message : String(each);
    post({ type: 'notice', level: each instanceof SessionError ? 'info' : 'error', text });
  };
  show(error);
  void offerRestore(kedge).catch(show);
}

/** Does nothing if the shown session was not deleted. */
async function offerRestore({ assistant, sessions }: Kedge): Promise<void> {
  const { id, state } = await sessions.current();
  const library = await assistant.library();
  if (!library.isDeleted(id) || offered.has(id)) return;
  offered.add(id);
  try {
    const text = `The session "${state.title || 'Untitled'}" was deleted in another window, and is in the trash.`;
    const answer = await vscode.window.showWarningMessage(notificationText(text), 'Restore', 'New Session');
    if (answer === undefined) return;
    if (answer === 'Restore' && library.isDeleted(id)) library.restore(id);
    await sessions.show(answer === 'Restore' ? await sessions.byId(id) : await assistant.newSession());
  } finally {
    offered.delete(id);
  }
}
