/**
 * Registers the review of changes in the editor. Its code is loaded with the first change, or immediately if changes from an earlier window
 * still have to be reviewed.
 */
import * as vscode from 'vscode';
import { isDurable } from '../../../core/session/events.ts';
import { showSessionErrors } from '../commands.ts';
import type { Kedge } from '../kedge.ts';
import type { Proposals } from '../review-proposals.ts';
import type { EditorReview } from './editor-review.ts';
import { ReviewList } from './review-list.ts';

const ACTIONS = [
  ...(['keepChange', 'undoChange', 'keepFile', 'undoFile', 'keepAll', 'nextChange', 'previousChange'] as const),
  ...(['openProposal', 'chooseHunk', 'approveProposal', 'rejectProposal'] as const),
];

export function registerReview(kedge: Kedge, proposals: Proposals): vscode.Disposable {
  const list = new ReviewList(kedge.context.workspaceState);
  let loading: Promise<EditorReview> | undefined;
  let loaded: EditorReview | undefined;
  const load = () => {
    loading ??= import('./editor-review.ts').then(({ EditorReview }) => {
      loaded = new EditorReview(kedge, proposals, list);
      return loaded;
    });
    return loading;
  };
  const unwatch = kedge.assistant.watch((session, event) => {
    const isChange = event.type === 'file_changed' || (event.type === 'approval_requested' && event.changes.length > 0);
    if (isDurable(event) && (loading || isChange))
      load()
        .then((review) => review.follow(session, event))
        .catch(console.error);
  });
  const restore = async () => {
    const session = await kedge.sessions.begun();
    const isWaiting = [...(session?.state.pendingApprovals.values() ?? [])].some(({ changes }) => changes.length > 0);
    if (list.runs.length === 0 && !isWaiting) return;
    const { files } = await load();
    if (session) await files.showPending(session);
  };
  restore().catch(console.error);
  return vscode.Disposable.from(
    ...ACTIONS.map((name) =>
      vscode.commands.registerCommand(`kedge.${name}`, (...args) =>
        showSessionErrors(async () => ((await load())[name] as (...args: unknown[]) => Promise<void>)(...args)),
      ),
    ),
    new vscode.Disposable(() => {
      unwatch();
      loaded?.dispose();
    }),
  );
}
