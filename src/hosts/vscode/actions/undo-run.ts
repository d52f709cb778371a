/** The command that undoes a run. A button in the Chat calls it. */
import * as vscode from 'vscode';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';

export async function undoRun(kedge: Kedge, sessionId: string, runId: string): Promise<void> {
  const session = await kedge.sessions.byId(sessionId);
  await session.changes.undo(runId);
  const results = session.events.ofType('changes_undone').at(-1)?.results ?? [];
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  const restored = results.length - refused.length;
  if (refused.length === 0)
    void vscode.window.showInformationMessage(
      notificationText(`The run was undone: ${restored} ${restored === 1 ? 'file' : 'files'} restored.`),
    );
  else {
    const notRestored = refused.map(({ path, reason }) => `${path} (${reason})`).join(', ');
    void vscode.window.showWarningMessage(
      notificationText(
        `${restored} of ${results.length} ${results.length === 1 ? 'file' : 'files'} restored. Not restored: ${notRestored}`,
      ),
    );
  }
}
