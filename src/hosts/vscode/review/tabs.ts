/** Closes the tabs of proposals that were answered and of changes that were undone. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import { callOfUri, reviewTitle } from '../files/blob-documents.ts';

/** Closes the diffs of a run whose changes were undone. */
export async function closeReviewTabs(session: Session, runId: string): Promise<void> {
  const calls = new Set(session.state.staged.filter((write) => write.runId === runId).map(({ callId }) => callId));
  const title = reviewTitle(session, runId);
  // For a tab with several diffs, extensions can read only the label, to which VS Code appends the number of files.
  const isReview = ({ input, label }: vscode.Tab) => !(input instanceof vscode.TabInputText) && label.startsWith(title);
  await closeTabs((tab) => isReview(tab) || diffUris(tab).some((uri) => calls.has(callOfUri(uri) ?? '')));
}

export function diffUris({ input }: vscode.Tab): vscode.Uri[] {
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}

export async function closeTabs(isMeant: (tab: vscode.Tab) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isMeant);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
