import * as vscode from 'vscode';
import type { Session } from '../../app/session/session.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { registerChat } from './chat/chat-participant.ts';
import { interruptedChats } from './chat/chat-threads.ts';
import { tidyCheckpoints } from './checkpoints.ts';
import { registerCommands } from './commands.ts';
import { registerBlobDocuments } from './files/blob-documents.ts';
import { Kedge } from './kedge.ts';
import { registerModelProvider } from './models/model-provider.ts';
import { Panel } from './panel/panel.ts';
import { Proposals } from './review-proposals.ts';

/** What the tests in the extension host work with. */
export type Api = { kedge: Kedge; proposals: Proposals };

let opened: Kedge | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const kedge = new Kedge(context);
  opened = kedge;
  const proposals = new Proposals({ blobs: kedge.blobs, memory: context.workspaceState, sessionById: (id) => kedge.sessions.byId(id) });
  const panel = new Panel(kedge, proposals);
  context.subscriptions.push(
    kedge,
    panel,
    proposals,
    registerBlobDocuments(kedge.blobs),
    tidyCheckpoints(kedge),
    registerCommands(kedge, panel),
    registerModelProvider(kedge),
    registerChat(kedge),
  );
  offerPending(kedge, panel).catch(console.error);
  return { kedge, proposals };
}

/** The editor waits for it: what runs have started ends with them. */
export async function deactivate(): Promise<void> {
  await opened?.assistant.shutDown();
}

/** A question that a reload interrupted is brought back before the user, wherever it was asked: a thread of the Chat forgets its buttons. */
async function offerPending(kedge: Kedge, panel: Panel): Promise<void> {
  const sessions = new Set([await kedge.sessions.current(), ...(await interruptedChats(kedge))]);
  const offer = async (session: Session) => {
    const { pendingApprovals, pendingQuestions } = session.state;
    const [approval] = pendingApprovals.values();
    const [asked] = pendingQuestions.values();
    const pending = approval ? `${visibleLine(approval.title)}?` : asked && visibleLine(asked.question.text);
    if (!pending || session.running) return;
    const chosen = await vscode.window.showInformationMessage(`Kedge is waiting for your answer: ${pending}`, 'Show');
    // While the message stood there, it may have been deleted.
    const there = chosen && (await kedge.assistant.session(session.id));
    if (!there) return;
    await kedge.sessions.show(there);
    await panel.reveal();
  };
  await Promise.all([...sessions].map(offer));
}
