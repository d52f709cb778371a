/** The native chat participant: a thread of VS Code's Chat is a Kedge session, and shows the same events as the panel does. */
import * as vscode from 'vscode';
import { type Session, SessionError } from '../../app/session.ts';
import type { AgentEvent, Mode } from '../../core/events.ts';
import type { ModelRef } from '../../core/messages.ts';
import { brokeOff } from '../../core/session.ts';
import { attachmentsOf } from './attachments.ts';
import { ChatRenderer } from './chat-render.ts';
import type { Kedge } from './kedge.ts';
import { editorModelRef } from './lm-adapter.ts';
import { VENDOR } from './model-provider.ts';

const PARTICIPANT = 'kedge.agent';
/** Where the session of a native chat's run is noted while the run is live. */
const LIVE_KEY = 'kedge.liveChat';

/** What a finished answer leaves behind for the next message of its thread. */
type Metadata = { sessionId: string; mode: Mode; runId?: string; next?: 'plan' | 'paused' | 'failed' | 'half' };

export function registerChat(kedge: Kedge): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(PARTICIPANT, (request, context, stream, token) =>
    answer(kedge, request, context, stream, token),
  );
  participant.iconPath = new vscode.ThemeIcon('milestone');
  participant.followupProvider = { provideFollowups: (result) => followups(result.metadata as Metadata | undefined) };
  return participant;
}

async function answer(
  kedge: Kedge,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const previous = await lastMetadata(kedge, context);
  const session = await sessionOf(kedge, previous);
  await kedge.context.workspaceState.update(LIVE_KEY, session.id);
  const mode = modeOf(request.command, previous);
  const renderer = new ChatRenderer(kedge, session, stream);
  const outcome = watch(session, renderer);
  const stopping = token.onCancellationRequested(() => void session.stop());
  try {
    await carryOut(kedge, session, request, mode, previous, renderer);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    stream.markdown(error.message);
  } finally {
    stopping.dispose();
    outcome.dispose();
    await kedge.context.workspaceState.update(LIVE_KEY, undefined);
  }
  const end = outcome.end;
  if (end) renderer.ended(end);
  const metadata: Metadata = { sessionId: session.id, mode, ...(end && { runId: end.runId }) };
  if (end?.type === 'run_paused') metadata.next = 'paused';
  if (end?.type === 'run_finished' && end.outcome === 'plan_proposed') metadata.next = 'plan';
  if (end?.type === 'run_finished' && end.outcome === 'failed') {
    const next = brokeOff(session.state) ? 'half' : 'failed';
    return { metadata: { ...metadata, next }, errorDetails: { message: end.error?.message ?? 'The run failed.' } };
  }
  return { metadata };
}

/** What this message asks for: an answer to what is pending, going on, running the plan, or a new run. */
async function carryOut(
  kedge: Kedge,
  session: Session,
  request: vscode.ChatRequest,
  mode: Mode,
  previous: Metadata | undefined,
  renderer: ChatRenderer,
): Promise<void> {
  const { state } = session;
  if (request.command === 'continue') return session.resume();
  if (request.command === 'run') {
    const plan = [...state.plans.values()].findLast(({ status }) => status === 'proposed');
    if (!plan) throw new SessionError('There is no proposed plan in this conversation. Ask for one with /plan.');
    return session.answerPlan(plan.plan.id, 'run');
  }
  // After a reload VS Code disables the buttons of old answers, so a question that is still open is asked again.
  if (previous && !session.running && state.pendingApprovals.size > 0) {
    const done = nextEnd(session);
    for (const pending of state.pendingApprovals.values()) renderer.approval(pending);
    return done;
  }
  const text = request.prompt.trim();
  if (!text) {
    renderer.greet();
    return;
  }
  const attachments = await attachmentsOf(request.references, kedge.fs);
  return session.prompt({ text, mode, attachments, model: modelOf(request.model) });
}

function watch(
  session: Session,
  renderer: ChatRenderer,
): vscode.Disposable & { end?: Extract<AgentEvent, { type: 'run_finished' | 'run_paused' }> } {
  const watching: ReturnType<typeof watch> = { dispose: () => unsubscribe() };
  const unsubscribe = session.subscribe((event) => {
    if (event.type === 'run_finished' || event.type === 'run_paused') watching.end = event;
    renderer.event(event);
  });
  return watching;
}

function nextEnd(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = session.subscribe(({ type }) => {
      if (type !== 'run_finished' && type !== 'run_paused') return;
      unsubscribe();
      resolve();
    });
  });
}

/** An answer that a reload interrupted left no metadata: its session is the one that was live then. */
async function lastMetadata(kedge: Kedge, { history }: vscode.ChatContext): Promise<Metadata | undefined> {
  const turn = history.findLast((entry) => entry instanceof vscode.ChatResponseTurn && entry.participant === PARTICIPANT);
  if (!(turn instanceof vscode.ChatResponseTurn)) return undefined;
  const metadata = turn.result.metadata as Partial<Metadata> | undefined;
  if (metadata?.sessionId && metadata.mode) return metadata as Metadata;
  const session = await interruptedChat(kedge);
  return session && { sessionId: session.id, mode: session.state.lastRun?.mode ?? 'ask' };
}

/** The session whose run in a thread of the Chat was live when the window went away. */
export async function interruptedChat(kedge: Kedge): Promise<Session | undefined> {
  const id = kedge.context.workspaceState.get<string>(LIVE_KEY);
  return id === undefined ? undefined : kedge.assistant.session(id);
}

async function sessionOf(kedge: Kedge, previous: Metadata | undefined): Promise<Session> {
  const known = previous && (await kedge.assistant.session(previous.sessionId));
  return known ?? kedge.assistant.newSession();
}

function modeOf(command: string | undefined, previous: Metadata | undefined): Mode {
  if (command === 'ask' || command === 'plan' || command === 'agent') return command;
  return previous?.mode ?? 'ask';
}

/** The model that was picked in the Chat wins over the setting, whoever's it is. */
function modelOf(model: vscode.LanguageModelChat): ModelRef {
  if (model.vendor !== VENDOR) return editorModelRef(model);
  const slash = model.id.indexOf('/');
  return slash < 0 ? { provider: model.id, model: model.id } : { provider: model.id.slice(0, slash), model: model.id.slice(slash + 1) };
}

function followups(metadata: Metadata | undefined): vscode.ChatFollowup[] {
  switch (metadata?.next) {
    case 'plan':
      return [{ prompt: 'Run the plan', label: 'Run plan', command: 'run' }];
    case 'failed':
      return [{ prompt: 'Try again', label: 'Try again', command: 'continue' }];
    case 'paused':
    case 'half':
      return [{ prompt: 'Go on', label: 'Continue', command: 'continue' }];
    default:
      return metadata?.mode === 'ask' ? [{ prompt: 'What is in README.md?', label: 'What is in README.md?', command: 'ask' }] : [];
  }
}
