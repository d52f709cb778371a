import * as vscode from 'vscode';
import type { Session } from '../../app/session.ts';
import { registerBlobDocuments } from './blob-documents.ts';
import { interruptedChats, registerChat } from './chat.ts';
import { registerCommands } from './commands.ts';
import { Kedge } from './kedge.ts';
import { registerModelProvider } from './model-provider.ts';
import { Panel } from './panel.ts';

/** What the tests in the extension host work with. */
export type Api = { kedge: Kedge };

export function activate(context: vscode.ExtensionContext): Api {
  const kedge = new Kedge(context);
  const panel = new Panel(kedge);
  context.subscriptions.push(
    kedge,
    panel,
    registerBlobDocuments(kedge.blobs),
    registerCommands(kedge, panel),
    registerModelProvider(kedge),
    registerChat(kedge),
  );
  offerPending(kedge, panel).catch(console.error);
  return { kedge };
}

/** A question that a reload interrupted is brought back before the user, wherever it was asked: a thread of the Chat forgets its buttons. */
async function offerPending(kedge: Kedge, panel: Panel): Promise<void> {
  const sessions = new Set([await kedge.session(), ...(await interruptedChats(kedge))]);
  const offer = async (session: Session) => {
    const [pending] = session.state.pendingApprovals.values();
    if (!pending || session.running) return;
    const chosen = await vscode.window.showInformationMessage(`Kedge waits for your answer: ${pending.title}?`, 'Show');
    if (!chosen) return;
    await kedge.show(session);
    await panel.reveal();
  };
  await Promise.all([...sessions].map(offer));
}
