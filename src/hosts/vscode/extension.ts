import * as vscode from 'vscode';
import type { Session } from '../../app/session/session.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { registerChat } from './chat/chat-participant.ts';
import { interruptedChats } from './chat/chat-threads.ts';
import { registerCommands } from './commands.ts';
import { registerBlobDocuments } from './files/blob-documents.ts';
import { Kedge } from './kedge.ts';
import { registerModelProvider } from './models/model-provider.ts';
import { Panel } from './panel/panel.ts';
import { scheduleCheckpointPruning } from './prune-checkpoints.ts';
import { Proposals } from './review-proposals.ts';

/** The objects that the tests in the extension host use. */
export type Api = { kedge: Kedge; proposals: Proposals };

let activeKedge: Kedge | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const kedge = new Kedge(context);
  activeKedge = kedge;
  const proposals = new Proposals({ blobs: kedge.blobs, memory: context.workspaceState, sessionById: (id) => kedge.sessions.byId(id) });
  const panel = new Panel(kedge, proposals);
  context.subscriptions.push(
    kedge,
    panel,
    proposals,
    registerBlobDocuments(kedge.blobs),
    scheduleCheckpointPruning(kedge),
    registerCommands(kedge, panel),
    registerModelProvider(kedge),
    registerChat(kedge),
  );
  offerPending(kedge, panel).catch(console.error);
  return { kedge, proposals };
}

/** Ends the processes that runs have started. VS Code waits for the promise. */
export async function deactivate(): Promise<void> {
  await activeKedge?.assistant.shutDown();
}

/** Shows a notification for an approval or question that a reload interrupted, because the Chat loses its buttons in a reload. */
async function offerPending(kedge: Kedge, panel: Panel): Promise<void> {
  const sessions = new Set([await kedge.sessions.current(), ...(await interruptedChats(kedge))]);
  const offer = async (session: Session) => {
    const { pendingApprovals, pendingQuestions } = session.state;
    const [approval] = pendingApprovals.values();
    const [question] = pendingQuestions.values();
    const pending = approval ? `${visibleLine(approval.title)}?` : question && visibleLine(question.question.text);
    if (!pending || session.running) return;
    const chosen = await vscode.window.showInformationMessage(`Kedge is waiting for your answer: ${pending}`, 'Show');
    // The session may have been deleted while the notification was shown.
    const current = chosen && (await kedge.assistant.session(session.id));
    if (!current) return;
    await kedge.sessions.show(current);
    await panel.reveal();
  };
  await Promise.all([...sessions].map(offer));
}
