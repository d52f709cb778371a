import * as vscode from 'vscode';
import { registerBlobDocuments } from './blob-documents.ts';
import { interruptedChat, registerChat } from './chat.ts';
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
  void offerPending(kedge, panel);
  return { kedge };
}

/** A question that a reload interrupted is brought back before the user, wherever it was asked: a thread of the Chat forgets its buttons. */
async function offerPending(kedge: Kedge, panel: Panel): Promise<void> {
  for (const session of [await kedge.session(), await interruptedChat(kedge)]) {
    const [pending] = session?.state.pendingApprovals.values() ?? [];
    if (!session || !pending || session.running) continue;
    const chosen = await vscode.window.showInformationMessage(`Kedge waits for your answer: ${pending.title}?`, 'Show');
    if (!chosen) continue;
    await kedge.show(session);
    await panel.reveal();
  }
}
