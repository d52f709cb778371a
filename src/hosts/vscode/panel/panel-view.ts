/** Connects one webview of the panel with a session: sends the session's events, and handles the user's actions. */
import * as vscode from 'vscode';
import { type Session, SessionError } from '../../../app/session/session.ts';
import type { AgentEvent, QuestionAnswer } from '../../../core/session/events.ts';
import { ToHost, type ToPanel } from '../../../protocol/panel.ts';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import { openDiff, reviewRun } from '../files/blob-documents.ts';
import type { Kedge } from '../kedge.ts';
import { openAsMarkdown, runAgain } from '../plans.ts';
import type { Proposals } from '../review-proposals.ts';
import { PanelMentions } from './panel-mentions.ts';
import { sendPrompt } from './panel-prompt.ts';
import { panelState } from './panel-state.ts';

/** Events are collected for one frame and sent as one message. */
const FLUSH_MS = 16;
const RUNS_SHOWN = 20;

/** `queue` contains the messages that are sent when the webview is ready. */
type Parts = { kedge: Kedge; proposals: Proposals; webview: vscode.Webview; queue: ToPanel[] };

export class PanelView implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #proposals: Proposals;
  readonly #queue: ToPanel[];
  readonly #mentions: PanelMentions;
  readonly #disposables: vscode.Disposable[];
  /** Undefined after the webview was disposed. */
  #webview: vscode.Webview | undefined;
  #unsubscribe: (() => void) | undefined;
  #pending: AgentEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #runsShown = RUNS_SHOWN;
  #isReady = false;
  #stateNumber = 0;

  constructor({ kedge, proposals, webview, queue }: Parts) {
    this.#kedge = kedge;
    this.#proposals = proposals;
    this.#webview = webview;
    this.#queue = queue;
    this.#mentions = new PanelMentions(kedge, (message) => this.#post(message));
    this.#disposables = [
      this.#mentions,
      kedge.onDidChange(() => void this.#sendState().catch((error) => this.#showError(error))),
      proposals.onDidEdit((edited) => this.#post({ type: 'proposal_edited', ...edited })),
      kedge.sessions.onDidChange((session) => {
        this.#runsShown = RUNS_SHOWN;
        if (this.#isReady) this.#showSession(session);
      }),
    ];
  }

  sendQueued(): void {
    if (this.#isReady) for (const message of this.#queue.splice(0)) this.#post(message);
  }

  async receive(raw: unknown): Promise<void> {
    const parsed = ToHost.safeParse(raw);
    if (!parsed.success) return this.#refuse(raw);
    try {
      await this.#handle(parsed.data);
    } catch (error) {
      this.#showError(error);
    }
  }

  /** A message that is too large must not get lost without a word. */
  #refuse(raw: unknown): void {
    const { type, id } = (raw ?? {}) as { type?: unknown; id?: unknown };
    if (type !== 'prompt') return;
    const reason = 'The message was not sent, because it is too long. Shorten it, or remove an image or a mention.';
    this.#post({ type: 'not_sent', ...(typeof id === 'string' && { id }), level: 'error', reason });
  }

  #showError(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#post({ type: 'notice', level: error instanceof SessionError ? 'info' : 'error', text });
  }

  async #handle(message: ToHost): Promise<unknown> {
    const kedge = this.#kedge;
    if (message.type === 'prompt') return sendPrompt(message, { kedge, mentions: this.#mentions, post: (answer) => this.#post(answer) });
    const session = await kedge.sessions.current();
    switch (message.type) {
      case 'ready':
        await this.#sendState();
        // The session may have changed during `#sendState`, because the view ignores changes of the session until it is ready.
        this.#showSession(await kedge.sessions.current());
        this.#isReady = true;
        this.#mentions.suggest({ isNew: true });
        this.sendQueued();
        void kedge.assistant.warmUp();
        return;
      case 'set_mode':
        return kedge.setMode(message.mode);
      case 'find_mentions':
        return this.#mentions.find(message.query);
      case 'check_mention':
        return this.#mentions.add(message.ref);
      case 'drop_uris':
        return this.#mentions.drop(message.uris);
      case 'stop':
        this.#mentions.stopReading();
        return session.stop();
      case 'pause':
        return session.pause();
      case 'step':
        return session.step();
      case 'edit_queued':
        return session.queue.edit(message.id, message.text);
      case 'remove_queued':
        return session.queue.remove(message.id);
      case 'send_queued':
        return session.sendQueued();
      case 'retry_now':
        return session.retryNow();
      case 'continue':
        return session.resume({ raise: message.raise === true });
      case 'answer_question': {
        const { answer } = message;
        return session.answerQuestion(message.questionId, 'option' in answer ? optionOf(answer) : { words: answer.words });
      }
      case 'answer_approval': {
        const { answer } = message;
        const approval = answer.approve
          ? {
              approve: true as const,
              ...(answer.grant && { grant: answer.grant, covers: answer.covers ?? 0 }),
              ...(answer.revised && { revised: answer.revised }),
              ...(answer.widen && { widen: answer.widen }),
            }
          : { approve: false as const, ...(answer.words && { words: answer.words }) };
        this.#proposals.expectSaved(message.approvalId);
        return session.answerApproval(message.approvalId, approval);
      }
      case 'answer_plan':
        return session.plans.answer(message.planId, message.answer, { edited: message.plan });
      case 'revise_plan':
        return session.plans.revise(message.planId, message.plan, message.was);
      case 'change_plan':
        return session.plans.change(message.planId, message.words);
      case 'resume_plan':
        return session.plans.resume(message.planId);
      case 'run_plan_again':
        return runAgain(session, message.planId, kedge.fs.folders);
      case 'save_plan':
        return openAsMarkdown(session, message.planId, message.plan);
      case 'undo_run':
        return session.changes.undo(message.runId);
      case 'edit_proposal':
        return this.#proposals.open(session, message.approvalId, message.path, message.without);
      case 'undo_part':
        return session.changes.undo(message.runId, { path: message.path, ...(message.hunk && { hunk: message.hunk }) });
      case 'review_file': {
        const { runId, path } = message;
        return this.#post({ type: 'file_review', runId, path, review: await session.changes.review(runId, path) });
      }
      case 'restore':
        return session.changes.restore(message.to);
      case 'review_run':
        return reviewRun(session, message.runId, kedge.fs);
      case 'open_folder':
        return vscode.commands.executeCommand('workbench.action.files.openFolder');
      case 'manage_trust':
        return vscode.commands.executeCommand('workbench.trust.manage');
      case 'open_file':
        return this.#openFile(message.path, message.line);
      case 'open_diff':
        return openDiff(session, message.callId, message.path);
      case 'open_link':
        return openLink(message.url);
      case 'show_earlier':
        this.#runsShown += RUNS_SHOWN;
        return this.#showSession(session);
      case 'new_session':
        return kedge.sessions.show(kedge.assistant.newSession());
      case 'pick_session':
        return vscode.commands.executeCommand('kedge.openSession');
      case 'pick_model':
        return vscode.commands.executeCommand('kedge.pickModel');
      case 'open_rules':
        return vscode.commands.executeCommand('workbench.action.openSettings', 'kedge.policy.rules');
      case 'connect_model':
        return vscode.commands.executeCommand('kedge.connectModel');
    }
  }

  async #sendState(): Promise<void> {
    this.#stateNumber += 1;
    const number = this.#stateNumber;
    const state = await panelState(this.#kedge);
    // If a newer state was requested meanwhile, this state is out of date.
    if (number === this.#stateNumber) this.#post({ type: 'state', state });
  }

  #showSession(session: Session): void {
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    this.#kedge.sessions.warnOfDamage(session);
    const runIds = [...session.state.runs.keys()];
    const shownRuns = new Set(runIds.slice(-this.#runsShown));
    this.#post({
      type: 'session',
      sessionId: session.id,
      title: session.state.title,
      events: session.events.filter((event) => shownRuns.has(event.runId)),
      earlierRuns: runIds.length - shownRuns.size,
      running: session.running,
    });
    // A retry wait is not in the log, but the user should see it.
    if (session.waiting) this.#post({ type: 'events', sessionId: session.id, events: [session.waiting], running: true });
    void this.#proposals.of(session).then((edited) => {
      for (const each of edited) this.#post({ type: 'proposal_edited', ...each });
    });
    this.#unsubscribe = session.subscribe((event) => {
      if (event.type === 'approval_resolved') void this.#proposals.close(event.approvalId);
      const last = this.#pending.at(-1);
      const joined = last && joinDeltas(last, event);
      if (joined) this.#pending[this.#pending.length - 1] = joined;
      else this.#pending.push(event);
      this.#timer ??= setTimeout(() => this.#flush(session), FLUSH_MS);
    });
  }

  #flush(session: Session): void {
    this.#timer = undefined;
    const events = this.#pending;
    this.#pending = [];
    if (events.length > 0) this.#post({ type: 'events', sessionId: session.id, events, running: session.running });
  }

  #post(message: ToPanel): void {
    void this.#webview?.postMessage(message);
  }

  async #openFile(path: string, line?: number): Promise<void> {
    const { fs } = this.#kedge;
    try {
      const uri = fs.uri(parsePath(path, fs.folders));
      const at = new vscode.Position((line ?? 1) - 1, 0);
      await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
    } catch (error) {
      throw error instanceof PathError ? error : new Error(`${path} could not be opened. Check that the file exists.`);
    }
  }

  dispose(): void {
    this.#webview = undefined;
    this.#isReady = false;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function optionOf({ option, words }: { option: string; words?: string | undefined }): QuestionAnswer {
  return { option, ...(words && { words }) };
}

/** Joins two consecutive deltas of the same kind into one event. */
function joinDeltas(last: AgentEvent, event: AgentEvent): AgentEvent | undefined {
  if (event.type !== 'text_delta' && event.type !== 'reasoning_delta') return undefined;
  return last.type === event.type ? { ...event, text: last.text + event.text } : undefined;
}

/** Opens a link. VS Code itself asks before it opens an untrusted web page. */
async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme === 'command' && uri.path === 'kedge.connectModel') await vscode.commands.executeCommand('kedge.connectModel');
  else if (['https', 'http', 'mailto'].includes(uri.scheme)) await vscode.env.openExternal(uri);
}
