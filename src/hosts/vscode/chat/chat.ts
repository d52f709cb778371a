/** Answers messages in the native Chat. Each chat thread is a Kedge session and shows the same events as the panel. */

import * as vscode from 'vscode';
import { initiation, lastPrompt } from '../../../app/session/prompt.ts';
import type { Session } from '../../../app/session/session.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import { refusalText } from '../../../core/model/mentions.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { isChildRun } from '../../../core/session/children/child-ids.ts';
import type { AgentEvent, Mode, QuestionAnswer } from '../../../core/session/events.ts';
import { brokeOff } from '../../../core/session/reduce.ts';
import type { AskedQuestion } from '../../../core/session/session-state.ts';
import { parseSlashCommand } from '../../../core/words/slash-commands.ts';
import { parseModelRef } from '../../../providers/catalog.ts';
import { confirmContinue } from '../commands.ts';
import type { Kedge } from '../kedge.ts';
import { remember } from '../memory.ts';
import { editorModelRef } from '../models/lm-adapter.ts';
import { VENDOR } from '../models/model-provider.ts';
import { attachmentsOf } from './attachments.ts';
import { ChatRenderer } from './chat-render.ts';
import { interruptedChats, type Metadata, markLive, PARTICIPANT } from './chat-threads.ts';

export async function answer(
  kedge: Kedge,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const previous = await lastMetadata(kedge, context);
  const session = await sessionOf(kedge, previous);
  await markLive(kedge, session, true);
  const mode = modeOf(request.command, previous);
  const collections = await (await kedge.documents()).collections.names().catch(() => []);
  const renderer = new ChatRenderer(kedge, session, stream, new Set(collections));
  const outcome = observe(session, renderer);
  const stopped = new AbortController();
  const stopping = token.onCancellationRequested(() => {
    stopped.abort();
    void session.stop();
  });
  try {
    await handleRequest(kedge, session, request, { mode, offered: previous?.offered === true }, renderer, stopped.signal);
  } catch (error) {
    if (error instanceof SessionError) stream.markdown(error.message);
    if (error instanceof Untrusted) stream.button({ command: 'workbench.trust.manage', title: 'Manage Trust' });
    if (!(error instanceof SessionError) && !stopped.signal.aborted) throw error;
  } finally {
    stopping.dispose();
    outcome.dispose();
    // If the window is closed, the run stays live, so that it is recognized as interrupted after the reload.
    if (session.state.lastRun?.status !== 'live') await markLive(kedge, session, false);
  }
  const end = outcome.end;
  if (end) renderer.ended(end);
  const offered = (previous?.offered || renderer.offered) && { offered: true as const };
  const metadata: Metadata = { sessionId: session.id, mode, ...(end && { runId: end.runId }), ...offered };
  if (end?.type === 'run_paused') metadata.next = 'paused';
  if (end?.type === 'run_finished' && end.outcome === 'plan_proposed') metadata.next = 'plan';
  if (end?.type === 'run_finished' && end.outcome === 'failed') {
    const next = brokeOff(session.state) ? 'half' : 'failed';
    return { metadata: { ...metadata, next }, errorDetails: { message: end.error?.message ?? 'The run failed. Try again.' } };
  }
  return { metadata };
}

/** The mode is not available, because the user has not trusted the workspace. */
class Untrusted extends SessionError {
  constructor() {
    super('This workspace is in Restricted Mode, so only Ask is available: begin with /ask, or trust the workspace.');
  }
}

function expectTrust(mode: Mode): void {
  if (mode !== 'ask' && !vscode.workspace.isTrusted) throw new Untrusted();
}

/** `offered` is true if this thread has already suggested a model other than Offline. */
type Thread = { mode: Mode; offered: boolean };

/** Handles a message: it can answer a pending question, continue a run, run a plan, or start a new run. */
async function handleRequest(
  kedge: Kedge,
  session: Session,
  request: vscode.ChatRequest,
  { mode, offered }: Thread,
  renderer: ChatRenderer,
  signal: AbortSignal,
): Promise<void> {
  const { state } = session;
  const model = modelOf(kedge, request.model);
  // After a reload VS Code disables the buttons of old answers, so open approvals and questions are shown again.
  if (!session.running && state.pendingApprovals.size > 0) {
    const done = nextEnd(session);
    for (const pending of state.pendingApprovals.values()) renderer.approval(pending);
    for (const question of state.pendingQuestions.values()) renderer.question(question);
    return done;
  }
  const [question] = state.pendingQuestions.values();
  if (!session.running && question) {
    const words = request.prompt.trim();
    // A message without a command answers the open question.
    if (words && !request.command) return session.answerQuestion(question.questionId, answerOf(question, words));
    const done = nextEnd(session);
    for (const each of state.pendingQuestions.values()) renderer.question(each);
    return done;
  }
  if (request.command === 'continue') {
    expectTrust(state.lastRun?.mode ?? 'ask');
    const unfinished = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === state.lastRun?.runId);
    if (unfinished && state.lastRun?.outcome !== 'failed') return session.plans.resume(unfinished.plan.id, { model });
    if (!(await confirmContinue(session)))
      throw new SessionError('The run is still paused at its daily limit. To raise the limit, send /continue.');
    return session.resume({ raise: true });
  }
  if (request.command === 'run') {
    const plan = [...state.plans.values()].findLast(({ status }) => status === 'proposed');
    if (!plan) throw new SessionError(noPlanText([...state.plans.values()].at(-1)?.status));
    expectTrust('agent');
    return session.plans.answer(plan.plan.id, 'run', { model });
  }
  if (request.command === 'again') {
    const last = lastPrompt(state);
    if (!last) throw new SessionError('There is no message in this chat to answer again. Send a message.');
    expectTrust(last.mode);
    return session.prompt({ ...last, model });
  }
  const typed = request.prompt.trim();
  const { text, only } =
    request.command === 'agent' && typed
      ? await (await import('../agents/choose-agent.ts')).withAgent(kedge, session, typed)
      : { text: typed, only: undefined };
  if (only) throw new SessionError(`To use the agent ${only}, add the task: /agent ${only} …`);
  if (request.command === 'compact') return session.compact(text);
  if (request.command === 'init') {
    expectTrust('agent');
    return session.prompt(...initiation(text, model));
  }
  const command = request.command === 'remember' ? parseSlashCommand(`/remember ${text}`) : undefined;
  if (command?.name === 'remember') return renderer.say(await remember(kedge, command));
  if (!text) {
    renderer.greet();
    return;
  }
  const message = request.command === 'prompt' ? `/prompt ${text}` : text;
  const sent = message.startsWith('/') ? await (await import('../prompt-files.ts')).promptFile(kedge, session, message, mode) : undefined;
  if (sent) renderer.sent(sent.text);
  expectTrust(sent?.mode ?? mode);
  if (kedge.fs.folders.length === 0 && state.runs.size === 0) renderer.noFolder();
  const configured = kedge.settings.model(mode);
  if (model.provider === 'offline' && configured.provider !== 'offline' && !offered) renderer.offered = configured;
  const { parts, refused } = await attachmentsOf(request.references, kedge, session, signal, model);
  if (refused.length > 0) renderer.notSent(refusalText(refused));
  return session.prompt({ ...(sent ?? { text, mode }), attachments: parts, model, keepsModel: true });
}

function noPlanText(last: 'proposed' | 'confirmed' | 'discarded' | 'superseded' | undefined): string {
  if (last === 'confirmed')
    return 'This plan has already been run. Run it again from "Kedge: Show Plans", or request another plan with /plan.';
  if (last === 'discarded') return 'The plan was discarded. Request another plan with /plan.';
  return 'There is no proposed plan in this session. Request a plan with /plan.';
}

function answerOf({ question }: AskedQuestion, words: string): QuestionAnswer {
  const option = question.options.find(({ label }) => label.toLowerCase() === words.toLowerCase());
  return option ? { option: option.label } : { words };
}

function observe(
  session: Session,
  renderer: ChatRenderer,
): vscode.Disposable & { end?: Extract<AgentEvent, { type: 'run_finished' | 'run_paused' }> } {
  const observer: ReturnType<typeof observe> = { dispose: () => unsubscribe() };
  const follow = (event: AgentEvent) => {
    if ((event.type === 'run_finished' || event.type === 'run_paused') && !isChildRun(event.runId)) observer.end = event;
    renderer.event(event);
  };
  const unsubscribe = session.subscribe(follow, { withChildren: true });
  return observer;
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
 * Returns the metadata of the thread's last answer. An answer that a reload interrupted has no metadata. Its session is the session of an
 * earlier answer, or else the interrupted session with the same prompt.
 */
export async function lastMetadata(kedge: Kedge, { history }: Pick<vscode.ChatContext, 'history'>): Promise<Metadata | undefined> {
  const turns = history.filter(({ participant }) => participant === PARTICIPANT);
  if (turns.length === 0) return undefined;
  const last = metadataOf(turns.at(-1));
  if (last) return last;
  const earlier = turns.map(metadataOf).findLast((metadata) => metadata !== undefined);
  const request = turns.findLast((turn) => turn instanceof vscode.ChatRequestTurn);
  const session = earlier
    ? await kedge.assistant.session(earlier.sessionId)
    : (await interruptedChats(kedge)).findLast(({ state }) => state.lastRun?.prompt === request?.prompt.trim());
  return session && { sessionId: session.id, mode: session.state.lastRun?.mode ?? 'ask' };
}

function metadataOf(turn: vscode.ChatContext['history'][number] | undefined): Metadata | undefined {
  if (!(turn instanceof vscode.ChatResponseTurn)) return undefined;
  const metadata = turn.result.metadata as Partial<Metadata> | undefined;
  return metadata?.sessionId && metadata.mode ? (metadata as Metadata) : undefined;
}

async function sessionOf(kedge: Kedge, previous: Metadata | undefined): Promise<Session> {
  const session = previous && (await kedge.assistant.session(previous.sessionId));
  if (session) kedge.sessions.warnOfDamage(session);
  return session ?? (await kedge.assistant.newSession());
}

function modeOf(command: string | undefined, previous: Metadata | undefined): Mode {
  if (command === 'ask' || command === 'plan' || command === 'agent') return command;
  return previous?.mode ?? 'ask';
}

/**
 * Returns the model that is selected in the Chat. The settings are ignored, so that nothing is sent to a service that the user did not
 * select.
 */
function modelOf({ models }: Pick<Kedge, 'models'>, selected: vscode.LanguageModelChat): ModelRef {
  return selected.vendor === VENDOR ? parseModelRef(selected.id) : editorModelRef(selected, models.picked);
}
