/** Sets up the browser tool, and turns it on, after the user agreed. */
import * as vscode from 'vscode';
import { findLibrary } from '../../node/browser/library.ts';
import { SETUP_QUESTION, setUpBrowser } from '../../node/browser/setup.ts';
import { storageDirectory } from '../../node/storage.ts';
import { notificationText } from '../notification-text.ts';

export async function setUpBrowserTool(): Promise<void> {
  const data = storageDirectory();
  const isThere = findLibrary(data) !== undefined;
  const detail = `${isThere ? '' : `${SETUP_QUESTION} `}Agent mode can then open pages, and asks you for each host.`;
  const answer = await vscode.window.showInformationMessage('Set up the browser tool?', { modal: true, detail }, 'Set Up');
  if (answer !== 'Set Up') return;
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: 'Setting up the browser tool…', cancellable: true },
      async (_, token) => {
        const controller = new AbortController();
        token.onCancellationRequested(() => controller.abort());
        await setUpBrowser({ data }, controller.signal);
      },
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(notificationText(`The browser tool could not be set up. ${message}`));
    return;
  }
  await vscode.workspace.getConfiguration('kedge').update('browser.enabled', true, vscode.ConfigurationTarget.Global);
  void vscode.window.showInformationMessage('The browser tool is on. Agent mode asks before it opens a page.');
}
