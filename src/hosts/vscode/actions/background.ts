/** Runs a task in a Git worktree while the user goes on working, and applies or drops its changes. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';

/** Asks for the task if it is missing. Resolves when the run has started. @throws SessionError if a worktree is not possible */
export async function runInBackground(kedge: Kedge, words?: string): Promise<void> {
  if (!vscode.workspace.isTrusted)
    throw new SessionError('The workspace is in Restricted Mode, so Kedge cannot change files. Trust the workspace first.');
  const text = words?.trim() || (await askForTask());
  if (!text) return;
  const session = await kedge.assistant.newSession();
  const title = 'Creating a worktree';
  const worktree = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_, token) => {
      const stopping = new AbortController();
      token.onCancellationRequested(() => stopping.abort());
      return (await kedge.assistant.worktree(session)).create(stopping.signal).catch((error) => {
        if (!stopping.signal.aborted) throw error;
      });
    },
  );
  if (worktree === undefined) return;
  const model = kedge.modelFor(session.id, 'agent');
  const running = session
    .prompt({ text, mode: 'agent', model }, { worktree })
    .catch((error: unknown) => vscode.window.showErrorMessage(notificationText(error instanceof Error ? error.message : String(error))));
  // A notification would still be there beside the one that tells the end of the run.
  vscode.window.setStatusBarMessage('Kedge works in a worktree. Your files stay as they are.', running);
}

async function askForTask(): Promise<string | undefined> {
  const prompt = 'The run works in a Git worktree. Its changes are applied to your files when you have reviewed them.';
  const typed = await vscode.window.showInputBox({
    title: 'Kedge: Run in the Background',
    prompt,
    placeHolder: 'Make the tests in src/tide.test.ts pass',
  });
  return typed?.trim();
}

/** Carries out a button below a run in a worktree. */
export async function finishWorktree(kedge: Kedge, sessionId: string, action: 'apply' | 'drop'): Promise<void> {
  const session = await kedge.sessions.byId(sessionId);
  const worktree = await kedge.assistant.worktree(session);
  if (action === 'apply') return worktree.apply();
  const drop = 'Drop';
  const detail = 'The worktree is deleted with everything in it that you have not applied. Your files stay as they are.';
  if ((await vscode.window.showWarningMessage('Drop the changes of this run?', { modal: true, detail }, drop)) === drop)
    await worktree.drop();
}
