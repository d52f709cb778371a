import * as vscode from 'vscode';
import { RunTraces } from '../node/telemetry/run-traces.ts';
import { registerEditorActions } from './actions/editor-actions.ts';
import type { Attention } from './attention/attention.ts';
import { StatusItem } from './attention/status-item.ts';
import { registerChat } from './chat/chat-participant.ts';
import { interruptedChats } from './chat/chat-threads.ts';
import { registerCommands } from './commands.ts';
import { registerBlobDocuments, registerReadOnly } from './files/blob-documents.ts';
import { introduce } from './first-start.ts';
import { Kedge } from './kedge.ts';
import { registerModelProvider } from './models/model-provider.ts';
import { notificationText } from './notification-text.ts';
import { registerOffers } from './offers/register-offers.ts';
import { Panel } from './panel/panel.ts';
import { scheduleCheckpointPruning } from './prune-checkpoints.ts';
import { registerReview } from './review/register-review.ts';
import { Proposals } from './review-proposals.ts';
import { showAsked } from './session-elsewhere.ts';

/** The objects that the tests in the extension host use. */
export type Api = { kedge: Kedge; proposals: Proposals };

let activeKedge: Kedge | undefined;
let traces: RunTraces | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const kedge = new Kedge(context);
  activeKedge = kedge;
  traces = new RunTraces(
    kedge.assistant,
    () => kedge.settings.otlpEndpoint,
    (text) => void vscode.window.showWarningMessage(notificationText(text)),
  );
  const proposals = new Proposals({ blobs: kedge.blobs, memory: context.workspaceState, sessionById: (id) => kedge.sessions.byId(id) });
  const panel = new Panel(kedge, proposals);
  context.subscriptions.push(
    kedge,
    traces,
    panel,
    proposals,
    registerBlobDocuments(kedge.blobs),
    registerReadOnly('kedge-document', async (uri) => (await kedge.documents()).textOf(uri)),
    scheduleCheckpointPruning(kedge),
    registerCommands(kedge, panel, proposals),
    registerReview(kedge, proposals),
    registerEditorActions(kedge),
    registerModelProvider(kedge),
    registerChat(kedge),
    registerOffers(kedge),
    callForAttention(kedge, panel),
    showAsked(kedge),
  );
  introduce(context).catch(console.error);
  return { kedge, proposals };
}

/** Ends the processes that runs have started, and sends the last traces. VS Code waits for the promise. */
export async function deactivate(): Promise<void> {
  await Promise.all([activeKedge?.assistant.shutDown(), traces?.flush()]);
}

/**
 * Watches the runs of all sessions. The code is loaded with the first run, or if a reload interrupted a question, because the Chat loses
 * its buttons when the window is reloaded.
 */
function callForAttention(kedge: Kedge, panel: Panel): vscode.Disposable {
  const item = new StatusItem();
  let loading: Promise<Attention> | undefined;
  let loaded: Attention | undefined;
  const attention = () => {
    loading ??= import('./attention/attention.ts').then(({ Attention }) => {
      loaded = new Attention({ kedge, panel, item });
      return loaded;
    });
    return loading;
  };
  const unwatch = kedge.assistant.watch((session, event) => {
    if (loaded) loaded.follow(session, event);
    else if (event.type === 'run_started' || event.type === 'run_resumed') void attention().then((each) => each.follow(session, event));
  });
  offerPending(kedge, attention).catch(console.error);
  return new vscode.Disposable(() => {
    unwatch();
    loaded?.dispose();
    item.dispose();
  });
}

async function offerPending(kedge: Kedge, attention: () => Promise<Attention>): Promise<void> {
  const shown = await kedge.sessions.begun();
  const sessions = [...new Set([...(shown ? [shown] : []), ...(await interruptedChats(kedge))])];
  const pending = sessions.filter(({ state }) => state.pendingApprovals.size > 0 || state.pendingQuestions.size > 0);
  if (pending.length > 0) (await attention()).offer(pending);
}
