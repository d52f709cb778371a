/** Connects one webview of the panel to a session: sends the session's events, and handles the user's actions. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { PERMISSION_EVENTS } from '../../../core/view/permissions.ts';
import { ToHost, type ToPanel } from '../../../protocol/panel.ts';
import { catalogEntry } from '../../../providers/catalog.ts';
import { reviewRun } from '../files/blob-documents.ts';
import type { Kedge } from '../kedge.ts';
import { FilesWithErrors } from '../languages/files-with-errors.ts';
import { openAsMarkdown, runAgain } from '../plans.ts';
import { type Proposals, showDiff } from '../review-proposals.ts';
import { exportSession, loadImage, openSymbol, takeAnswer } from './answer-actions.ts';
import { applyCode } from './apply-code.ts';
import { ModelCheck } from './model-check.ts';
import { newestEvents } from './newest-runs.ts';
import { open } from './open.ts';
import { Pages } from './pages/pages.ts';
import { PanelBranches } from './panel-branches.ts';
import { PanelLessons } from './panel-lessons.ts';
import { PanelMentions } from './panel-mentions.ts';
import { addJoined, approvalOf, COMMANDS, optionOf, refuse } from './panel-messages.ts';
import { sendPrompt } from './panel-prompt.ts';
import { panelState } from './panel-state.ts';
import { showError } from './show-error.ts';

/** The events of one frame are collected and sent as one message. */
const FLUSH_MS = 16;

/** `queue` contains the messages that are sent when the webview is ready. */
type Parts = { kedge: Kedge; proposals: Proposals; webview: vscode.Webview; queue: ToPanel[]; isShown(): boolean };

export class PanelView implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #proposals: Proposals;
  readonly #queue: ToPanel[];
  readonly #mentions: PanelMentions;
  readonly #pages: Pages;
  readonly #branches: PanelBranches;
  readonly #lessons: PanelLessons;
  readonly #check: ModelCheck;
  readonly #disposables: vscode.Disposable[];
  /** The webview. It is undefined after it was disposed. */
  #webview: vscode.Webview | undefined;
  #unsubscribe: (() => void) | undefined;
  #pending: AgentEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The number of portions of runs to show: 1, plus 1 for each time that the user asks for earlier runs. */
  #portions = 1;
  #isReady = false;
  #stateNumber = 0;
  readonly #errors = new FilesWithErrors();

  constructor({ kedge, proposals, webview, queue, isShown }: Parts) {
    this.#kedge = kedge;
    this.#proposals = proposals;
    this.#webview = webview;
    this.#queue = queue;
    this.#mentions = new PanelMentions(kedge, (message) => this.#post(message));
    this.#pages = new Pages(kedge, (message) => this.#post(message));
    this.#branches = new PanelBranches(kedge, (message) => this.#post(message));
    this.#lessons = new PanelLessons(kedge, (message) => this.#post(message));
    this.#check = new ModelCheck(kedge, { isShown, onResult: () => this.#updateState() });
    const unwatch = kedge.assistant.watch((session, event) => {
      const model = event.type === 'run_finished' && event.outcome !== 'stopped' && session.state.runs.get(event.runId)?.model;
      if (model) void this.#check.ended(model, event.error);
      if (PERMISSION_EVENTS.has(event.type)) this.#updateState();
    });
    this.#disposables = [
      this.#mentions,
      this.#pages,
      this.#branches,
      this.#lessons,
      new vscode.Disposable(unwatch),
      kedge.onDidChange(() => this.#updateState()),
      proposals.onDidEdit((edited) => this.#post({ type: 'proposal_edited', ...edited })),
      proposals.onDidChoose(({ by, ...chosen }) => by === 'editor' && this.#post({ type: 'hunks_chosen', ...chosen })),
      kedge.sessions.onDidChange((session) => {
        this.#portions = 1;
        if (!this.#isReady) return;
        this.#showSession(session);
        // Each session has its own model.
        this.#updateState();
      }),
      this.#errors,
      this.#errors.onDidChange(() => this.#updateState()),
    ];
  }

  sendQueued(): void {
    if (this.#isReady) for (const message of this.#queue.splice(0)) this.#post(message);
  }

  async receive(raw: unknown): Promise<void> {
    const parsed = ToHost.safeParse(raw);
    if (!parsed.success) return refuse(raw, (answer) => this.#post(answer));
    try {
      await this.#handle(parsed.data);
    } catch (error) {
      this.#showError(error);
    }
  }

  #showError(error: unknown): void {
    showError(error, this.#kedge, (notice) => this.#post(notice));
  }

  async #handle(message: ToHost): Promise<unknown> {
    const kedge = this.#kedge;
    if (message.type === 'prompt') return sendPrompt(message, { kedge, mentions: this.#mentions, post: (answer) => this.#post(answer) });
    const [command, ...args] = COMMANDS[message.type] ?? [];
    if (command) return vscode.commands.executeCommand(command, ...args);
    const session = await kedge.sessions.current();
    switch (message.type) {
      case 'ready':
        await this.#sendState();
        void this.#checkModel(session.id);
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
      case 'find_commands':
      case 'find_agents':
      case 'check_mention':
      case 'drop_uris':
      case 'pick_files':
        return this.#mentions.receive(message);
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
        this.#proposals.expectSaved(message.approvalId);
        return session.answerApproval(message.approvalId, approvalOf(message.answer));
      }
      case 'answer_plan': {
        const { planId, answer, plan: edited, allowEdits } = message;
        return session.plans.answer(planId, answer, { edited, allowEdits, model: kedge.modelFor(session.id, 'agent') });
      }
      case 'revise_plan':
        return session.plans.revise(message.planId, message.plan, message.was);
      case 'change_plan':
        return session.plans.change(message.planId, message.words, { model: kedge.modelFor(session.id, 'plan') });
      case 'resume_plan':
        return session.plans.resume(message.planId, { model: kedge.modelFor(session.id, 'agent') });
      case 'run_plan_again':
        return runAgain(session, message.planId, kedge.fs.folders);
      case 'save_plan':
        return openAsMarkdown(session, message.planId, message.plan);
      case 'worktree':
        return (await import('../actions/background.ts')).finishWorktree(kedge, message.sessionId, message.action);
      case 'undo_run':
        return session.changes.undo(message.runId);
      case 'choose_hunks':
        return this.#proposals.choose(message.approvalId, message.path, message.rejected, 'panel');
      case 'edit_proposal':
        return this.#proposals.open(session, message.approvalId, message.path, message.without);
      case 'undo_part':
        return session.changes.undo(message.runId, { path: message.path, ...(message.hunk && { hunk: message.hunk }) });
      case 'review_file':
        return this.#post({ ...message, type: 'file_review', review: await session.changes.review(message.runId, message.path) });
      case 'restore':
        return session.changes.restore(message.to);
      case 'review_run':
        return reviewRun(session, message.runId, kedge.fs);
      case 'resend':
      case 'branch':
      case 'show_session':
        return this.#branches.handle(message);
      case 'open_page':
      case 'leave_page':
      case 'page_request':
        return this.#pages.receive(message);
      case 'open_file':
      case 'open_source':
      case 'open_link':
        return open(message, kedge);
      case 'open_symbol':
        return openSymbol(message.name, kedge.fs);
      case 'load_image':
        return this.#post({ type: 'image', path: message.path, ...(await loadImage(message.path, kedge.fs)) });
      case 'insert_code':
      case 'open_code':
      case 'save_answer':
        return takeAnswer(message, kedge.fs);
      case 'apply_code':
        return applyCode(message, { kedge, post: (answer) => this.#post(answer) });
      case 'lesson':
        return this.#lessons.answer(message, session);
      case 'rate_answer':
        return (await kedge.assistant.library()).rate(session.id, message.runId, message.rating, message.words);
      case 'open_diff':
        return showDiff(session, message.callId, message.path, this.#proposals);
      case 'show_earlier':
        this.#portions += 1;
        return this.#showSession(session);
      case 'new_session':
        return kedge.sessions.show(await kedge.assistant.newSession());
      case 'export_session':
        return exportSession(session.events);
      case 'check_model':
        return this.#checkModel(session.id);
    }
  }

  async #checkModel(sessionId: string): Promise<void> {
    const model = this.#kedge.modelFor(sessionId, this.#kedge.mode);
    await this.#check.again(model, catalogEntry(model.provider));
  }

  #updateState(): void {
    void this.#sendState().catch((error) => this.#showError(error));
  }

  async #sendState(): Promise<void> {
    const number = ++this.#stateNumber;
    const state = await panelState(this.#kedge, this.#check, this.#errors.any);
    // If a newer state has been requested since, this state is out of date.
    if (number === this.#stateNumber) this.#post({ type: 'state', state });
  }

  #showSession(session: Session): void {
    const newest = newestEvents(session, this.#portions);
    if (newest.problem !== undefined) return void this.#showError(new SessionError(newest.problem));
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    this.#kedge.sessions.warnOfDamage(session);
    this.#post({
      type: 'session',
      sessionId: session.id,
      title: session.state.title,
      ...newest,
      running: session.running,
    });
    this.#branches.show(session);
    this.#lessons.show(session);
    // A retry wait is not in the log, but the user should see it.
    if (session.waiting) this.#post({ type: 'events', sessionId: session.id, events: [session.waiting], running: true });
    for (const approvalId of session.state.pendingApprovals.keys()) {
      const rejected = this.#proposals.rejected(approvalId);
      if (Object.keys(rejected).length > 0) this.#post({ type: 'hunks_chosen', approvalId, rejected });
    }
    void this.#proposals.of(session).then((edited) => {
      for (const each of edited) this.#post({ type: 'proposal_edited', ...each });
    });
    const collect = (event: AgentEvent) => {
      addJoined(this.#pending, event);
      this.#timer ??= setTimeout(() => this.#flush(session), FLUSH_MS);
    };
    this.#unsubscribe = session.subscribe(collect, { withChildren: true });
  }

  #flush(session: Session): void {
    this.#timer = undefined;
    const events = this.#pending.splice(0);
    if (events.length > 0) this.#post({ type: 'events', sessionId: session.id, events, running: session.running });
  }

  #post(message: ToPanel): void {
    void this.#webview?.postMessage(message);
  }

  dispose(): void {
    this.#webview = undefined;
    this.#isReady = false;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
