/** Answers in the native chat: a thread of VS Code's Chat is a Kedge session, and shows the same events as the panel does. */
import * as vscode from 'vscode';
import { lastPrompt } from '../../../app/session/prompt.ts';
import { type Session, SessionError } from '../../../app/session/session.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { AgentEvent, Mode, QuestionAnswer } from '../../../core/session/events.ts';
import { brokeOff } from '../../../core/session/reduce.ts';
import type { AskedQuestion } from '../../../core/session/session-state.ts';
import { parseModelRef } from '../../../providers/catalog.ts';
import { mayGoOn } from '../commands.ts';
import type { Kedge } from '../kedge.ts';
import { editorModelRef } from '../models/lm-adapter.ts';
import { VENDOR } from '../models/model-provider.ts';
import { attachmentsOf } from './attachments.ts';
import { ChatRenderer } from './chat-render.ts';
import { interruptedChats, type Metadata, note, PARTICIPANT } from './chat-threads.ts';

export async function answer(
  kedge: Kedge,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const previous = await lastMetadata(kedge, context);
  const session = await sessionOf(kedge, previous);
  await note(kedge, session, true);
  const mode = modeOf(request.command, previous);
  const renderer = new ChatRenderer(kedge, session, stream);
  const outcome = watch(session, renderer);
  const stopping = token.onCancellationRequested(() => void session.stop());
  try {
    await carryOut(kedge, session, request, { mode, offered: previous?.offered === true }, renderer);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    stream.markdown(error.message);
  } finally {
    stopping.dispose();
    outcome.dispose();
    // A window that goes away leaves the run live.
    if (session.state.lastRun?.status !== 'live') await note(kedge, session, false);
  }
  const end = outcome.end;
  if (end) renderer.ended(end);
  const offered = (previous?.offered || renderer.offered) && { offered: true as const };
  const metadata: Metadata = { sessionId: session.id, mode, ...(end && { runId: end.runId }), ...offered };
  if (end?.type === 'run_paused') metadata.next = 'paused';
  if (end?.type === 'run_finished' && end.outcome === 'plan_proposed') metadata.next = 'plan';
  if (end?.type === 'run_finished' && end.outcome === 'failed') {
    const next = brokeOff(session.state) ? 'half' : 'failed';
    return { metadata: { ...metadata, next }, errorDetails: { message: end.error?.message ?? 'The run failed.' } };
  }
  return { metadata };
}

/** `offered`: the thread has said already which model could answer in the place of Offline. */
type Thread = { mode: Mode; offered: boolean };

/** What this message asks for: an answer to what is pending, going on, running the plan, or a new run. */
async function carryOut(
  kedge: Kedge,
  session: Session,
  request: vscode.ChatRequest,
  { mode, offered }: Thread,
  renderer: ChatRenderer,
): Promise<void> {
  const { state } = session;
  const model = modelOf(kedge, request.model);
  // After a reload VS Code disables the buttons of old answers, so a question that is still open is asked again.
  if (!session.running && state.pendingApprovals.size > 0) {
    const done = nextEnd(session);
    for (const pending of state.pendingApprovals.values()) renderer.approval(pending);
    for (const asked of state.pendingQuestions.values()) renderer.question(asked);
    return done;
  }
  const [asked] = state.pendingQuestions.values();
  if (!session.running && asked) {
    const words = request.prompt.trim();
    // What is typed under a question is its answer.
    if (words && !request.command) return session.answerQuestion(asked.questionId, answerOf(asked, words));
    const done = nextEnd(session);
    for (const each of state.pendingQuestions.values()) renderer.question(each);
    return done;
  }
  if (request.command === 'continue') {
    const left = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === state.lastRun?.runId);
    if (left && state.lastRun?.outcome !== 'failed') return session.plans.resume(left.plan.id, { model });
    if (!(await mayGoOn(session))) throw new SessionError('The run stays paused.');
    return session.resume({ raise: true });
  }
  if (request.command === 'run') {
    const plan = [...state.plans.values()].findLast(({ status }) => status === 'proposed');
    if (!plan) throw new SessionError(noPlan([...state.plans.values()].at(-1)?.status));
    return session.plans.answer(plan.plan.id, 'run', { model });
  }
  if (request.command === 'again') {
    const last = lastPrompt(state);
    if (!last) throw new SessionError('There is no message in this chat to answer again.');
    return session.prompt({ ...last, model });
  }
  const text = request.prompt.trim();
  if (!text) {
    renderer.greet();
    return;
  }
  const configured = kedge.settings.model(mode);
  if (model.provider === 'offline' && configured.provider !== 'offline' && !offered) renderer.offered = configured;
  const attachments = await attachmentsOf(request.references, kedge.fs);
  return session.prompt({ text, mode, attachments, model });
}

function noPlan(last: 'proposed' | 'confirmed' | 'discarded' | 'superseded' | undefined): string {
  if (last === 'confirmed') return 'This plan was run already. Run it again with "Kedge: Show Plans", or ask for another with /plan.';
  if (last === 'discarded') return 'The plan was discarded. Ask for another with /plan.';
  return 'There is no proposed plan in this session. Ask for one with /plan.';
}

function answerOf({ question }: AskedQuestion, words: string): QuestionAnswer {
  const option = question.options.find(({ label }) => label.toLowerCase() === words.toLowerCase());
  return option ? { option: option.label } : { words };
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

/**
 * What the thread's last answer left behind. One that a reload interrupted left nothing: its session is that of the answers
 * before it, or else the interrupted one of the same prompt.
 */
export async function lastMetadata(kedge: Kedge, { history }: Pick<vscode.ChatContext, 'history'>): Promise<Metadata | undefined> {
  const turns = history.filter(({ participant }) => participant === PARTICIPANT);
  if (turns.length === 0) return undefined;
  const last = metadataOf(turns.at(-1));
  if (last) return last;
  const before = turns.map(metadataOf).findLast((metadata) => metadata !== undefined);
  const request = turns.findLast((turn) => turn instanceof vscode.ChatRequestTurn);
  const session = before
    ? await kedge.assistant.session(before.sessionId)
    : (await interruptedChats(kedge)).findLast(({ state }) => state.lastRun?.prompt === request?.prompt.trim());
  return session && { sessionId: session.id, mode: session.state.lastRun?.mode ?? 'ask' };
}

function metadataOf(turn: vscode.ChatContext['history'][number] | undefined): Metadata | undefined {
  if (!(turn instanceof vscode.ChatResponseTurn)) return undefined;
  const metadata = turn.result.metadata as Partial<Metadata> | undefined;
  return metadata?.sessionId && metadata.mode ? (metadata as Metadata) : undefined;
}

async function sessionOf(kedge: Kedge, previous: Metadata | undefined): Promise<Session> {
  const known = previous && (await kedge.assistant.session(previous.sessionId));
  if (known) kedge.sessions.warnOfDamage(known);
  return known ?? kedge.assistant.newSession();
}

function modeOf(command: string | undefined, previous: Metadata | undefined): Mode {
  if (command === 'ask' || command === 'plan' || command === 'agent') return command;
  return previous?.mode ?? 'ask';
}

/** What is picked in the Chat is what is asked, whatever the settings say: nothing is sent to a service that the user did not pick. */
function modelOf({ models }: Pick<Kedge, 'models'>, picked: vscode.LanguageModelChat): ModelRef {
  return picked.vendor === VENDOR ? parseModelRef(picked.id) : editorModelRef(picked, models.picked);
}
