/** One conversation: its log, its state, its live run, and the answers that runs wait for. */

import { rootRunId } from '../../core/session/children/child-ids.ts';
import type { AppliedCode, AppliedWorktree } from '../../core/session/effects.ts';
import type { AnswerRating, ApprovalAnswer, EventBody, QuestionAnswer, SessionEventBody } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import type { EventList } from '../../core/session/lists.ts';
import { type RunRecord, type SessionState, waitsForUser } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import { readView, type SessionView } from '../../core/view/session-view.ts';
import { runLimits } from '../limits.ts';
import type { SessionsPorts } from '../ports.ts';
import { LiveRun } from '../run/live-run.ts';
import { Pacing } from '../run/pacing.ts';
import type { Work } from '../work.ts';
import { resolveApproval } from './approvals.ts';
import { Changes } from './changes.ts';
import { compactableRun, expectCompacted } from './compaction.ts';
import { EventLog, type Waiting } from './event-log.ts';
import { applyOpening, askedAgent, expectReader, lastAsked, resumableRun, resuming, startOf } from './last-run.ts';
import type { Listener } from './listeners.ts';
import { MessageQueue } from './message-queue.ts';
import { type Bound, Plans } from './plans.ts';
import { type Prompt, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';
import { supersede } from './supersede.ts';

const newId = () => crypto.randomUUID();

export { EventLog, SessionError };

export class Session {
  readonly id: string;
  readonly state: SessionState;
  /** Messages that the user sent during a run and that the model has not received yet. */
  readonly queue: MessageQueue;
  /** Durable events in log order, which are read from the log when they are needed. The newest may not be written to disk yet. */
  readonly events: EventList;
  readonly plans: Plans;
  readonly changes: Changes;
  readonly #ports: SessionsPorts;
  readonly #work: Work;
  readonly #log: EventLog;
  readonly #now: () => number;
  #live: LiveRun | undefined;
  #isCompacting = false;

  constructor(id: string, log: EventLog, ports: SessionsPorts, work: Work) {
    this.id = id;
    this.#ports = ports;
    this.#work = work;
    this.#now = ports.now ?? Date.now;
    this.#log = log;
    this.state = this.#log.state;
    this.events = this.#log.events;
    const desk = { state: this.state, newId, emit: (runId: string, body: EventBody) => this.#log.emit(runId, body) };
    this.queue = new MessageQueue(desk);
    const expectIdle = () => this.#expectIdle();
    this.changes = new Changes({ log: this.#log, gate: (runId) => work.gate(this.state.runs.get(runId)?.worktree, id), newId, expectIdle });
    this.plans = new Plans({
      ...desk,
      ...{ expectIdle, expectAgents: work.expectAgents.bind(work) },
      prompt: (prompt, bound) => this.prompt(prompt, bound),
      resume: (runId, opening) => this.#resume(runId, opening),
    });
  }

  /** Whether a run is in progress or waits for an answer from the user, or the conversation is being compacted. */
  get running(): boolean {
    return this.#live !== undefined && (this.#isCompacting || this.state.lastRun?.status === 'live');
  }

  /** Whether a run is in progress or ending, or changes are being undone. */
  get busy(): boolean {
    return this.#live !== undefined || this.changes.takingBack !== undefined;
  }

  /** Computes the view of the whole session. Reads the whole log, so it must not be called for each event. */
  readView(): SessionView {
    return readView(this.events);
  }

  /** Says how many damaged lines of the log were skipped. */
  get damage(): string | undefined {
    return this.#log.damage;
  }

  /** Logs a change to the session by the user, or a rating. @throws SessionError if another window or process is using the session */
  note = (about: SessionEventBody | AnswerRating, runId = '') => this.#log.emit(runId, about);

  /** Like `note`. `about` is called when the events are up to date and no other process can add any. */
  noteLatest(about: () => SessionEventBody): void {
    if (this.#live) this.note(about());
    else this.#log.locked(() => this.note(about()));
  }

  /** Calls `listener` for new events, including deltas, of child runs only with `withChildren`. Returns a function that removes the listener. */
  subscribe(listener: Listener, { withChildren = false } = {}): () => void {
    return this.#log.listeners.add(listener, withChildren);
  }

  /** Starts a run after any undo, and resolves when it has ended, paused or stopped. @throws SessionError while another run is live. */
  async prompt({ text, mode, model, agent, keepsModel, attachments = [], notes = [] }: Prompt, bound: Bound = {}): Promise<void> {
    if (this.changes.takingBack) await this.changes.takingBack;
    this.#expectIdle();
    const asked = askedAgent(text, { agent, keepsModel }, this.state, bound);
    const narrow = asked && (await this.#work.agent(asked, this));
    if (asked) this.#expectIdle();
    const usual = startOf({ mode, model, attachments }, text, this.#ports.settings, this.state, bound);
    supersede(this.#log, this.#now);
    const message = userMessage(text, [...attachments, ...notes, ...takenBackNote(this.state)]);
    await this.#run(newId(), this.queue.opening(narrow?.(usual) ?? usual, { type: 'message_added', message }));
  }

  /** Sends a message: with the model's next turn while a run is in progress or paused by the user, and otherwise in a new run. */
  async say(prompt: Prompt): Promise<void> {
    const run = this.state.lastRun;
    if (!run || !(this.running || (run.status === 'paused' && run.pause === 'user'))) return this.prompt(prompt);
    expectReader(run);
    const sent = this.#live?.hooks ? await this.#live.hooks.admit(prompt) : prompt;
    if (sent !== prompt && !this.running) return this.prompt(prompt);
    this.queue.add(userMessage(sent.text, sent.attachments ?? []));
  }

  /** Applies changes after the user has approved them. No model is called. @throws SessionError while another run is live. */
  async apply(applied: AppliedCode | AppliedWorktree): Promise<void> {
    this.#expectIdle();
    await this.#run(newId(), applyOpening(this.state, applied, runLimits(this.#ports.settings, 'agent', this.state)));
  }

  /** Starts a run with the messages that were queued for an earlier run. */
  async sendQueued(): Promise<void> {
    this.#expectIdle();
    const lastRun = lastAsked(this.state);
    if (!lastRun || this.queue.size === 0) return;
    if (lastRun.status === 'live') throw new SessionError('The run is waiting for your answer. Answer it first.');
    if (lastRun.status === 'paused') return this.resume();
    const { mode, model, agent } = lastRun;
    const started = startOf({ mode, model, agent }, this.queue.text, this.#ports.settings, this.state);
    await this.#run(newId(), this.queue.opening(started));
  }

  /**
   * Continues a run that was paused or interrupted. A limit that was reached is extended by its original amount. A daily limit is raised
   * only with `raise`, until the day ends.
   */
  async resume({ raise = false } = {}): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live?.pace.release()) return this.#live.done;
    const run = this.#resumable();
    if (raise && run.pause === 'limit' && run.reached) this.#work.day?.raise(run.reached.limit);
    await this.#resume(run.runId);
  }

  /** Pauses the live run after the current turn of the model or tool call. */
  pause(): void {
    if (!this.#live) throw new SessionError('No run is in progress. Send a message to start a run.');
    this.#live.pace.hold();
  }

  /** Runs one more turn of the model or tool call of a paused run. Pauses a run that is not paused. */
  async step(): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live) return this.#live.pace.step();
    await this.#resume(this.#resumable().runId, [], new Pacing(1));
  }

  /** Resolves when a run that has just paused has ended completely. */
  get #leaving(): Promise<void> | undefined {
    return this.running ? undefined : this.#live?.done;
  }

  #resumable(): RunRecord {
    this.#expectIdle();
    return resumableRun(this.state);
  }

  /** Stops the live run immediately. Its changes are kept and can be undone. Resolves when the run has ended. */
  async stop(): Promise<void> {
    const live = this.#live;
    if (live) {
      const isRun = !this.#isCompacting;
      live.abort();
      await live.done;
      if (!isRun || this.state.lastRun?.status !== 'paused') return;
    }
    this.refresh();
    supersede(this.#log, this.#now);
  }

  /** Compacts the conversation, in a live run before its next turn. `words` says what to keep. @throws SessionError if nothing can be removed. */
  async compact(words = ''): Promise<void> {
    if (this.#isCompacting) return;
    if (this.#live && this.running) return this.#live.compactNext(words);
    this.#expectIdle();
    const { runId, status } = compactableRun(this.state);
    const beginning = { runId, pace: new Pacing() };
    this.#isCompacting = true;
    const end = await this.#with(beginning, (live) => live.compact(words, this.#work)).finally(() => {
      this.#isCompacting = false;
    });
    expectCompacted(end);
    if (status === 'finished') await this.sendQueued();
  }

  /** Ends the live run as failed, for a reason that the run cannot detect itself. */
  fail(why: Error): void {
    this.#live?.abort(why);
  }

  /** The live run's wait before it sends a request again, with the remaining time. */
  get waiting(): Waiting | undefined {
    return this.#log.waiting;
  }

  /** Sends the request immediately if the run is waiting to retry it. */
  retryNow(): void {
    this.#live?.retryNow();
  }

  /** Answers an approval request. If a reload interrupted the run, the run continues, and the promise resolves when it has ended. */
  async answerApproval(approvalId: string, given: ApprovalAnswer): Promise<void> {
    this.refresh();
    const { runId, answered } = await resolveApproval(approvalId, given, {
      state: this.state,
      emit: (id, body) => this.#log.emit(id, body),
      gate: () => this.#work.gate(),
      grantForGood: (covers, title) => this.#ports.grants.add(covers, title),
      trusted: this.#ports.trusted(),
      widening: (request) => this.plans.widening(request, this.events),
    });
    await Promise.all(answered.map((id) => this.#goOn(runId, id)));
  }

  /** Answers a question of a tool call. If a reload interrupted the run, the run continues, and the promise resolves when it has ended. */
  async answerQuestion(questionId: string, answer: QuestionAnswer): Promise<void> {
    this.refresh();
    const asked = this.state.pendingQuestions.get(questionId);
    if (!asked) throw new SessionError('This question has already been answered. No further answer is needed.');
    const { runId, callId } = asked;
    this.#log.emit(runId, { type: 'question_answered', questionId, callId, answer });
    await this.#goOn(runId, questionId);
  }

  async #goOn(runId: string, questionId: string): Promise<void> {
    if (this.changes.takingBack) await this.changes.takingBack;
    if (this.#live?.goOn(questionId)) return;
    if (!this.#live && !waitsForUser(this.state)) await this.#resume(rootRunId(runId));
  }

  /** Revokes one permission or all permissions, also in the live run. With `later`, this is logged before the next event. */
  revokeGrants(covers?: Permission, later = false): void {
    this.#log.revokeGrants(covers, later);
  }

  /** Stops the live run without logging its end, so that it can be resumed after a reload. */
  close(): void {
    this.#log.close();
  }

  async #resume(runId: string, more: readonly EventBody[] = [], pace?: Pacing): Promise<void> {
    await this.#run(runId, [resuming(this.state, runId), ...more], pace);
  }

  /** Starts a run. It is live, and can be stopped, before a listener receives its first event. */
  async #run(runId: string, opening: Iterable<EventBody>, pace = new Pacing()): Promise<void> {
    const live = await this.#with({ runId, pace }, async (each) => {
      await each.drive(opening, this.#work);
      return each;
    });
    const words = live.compactionAsked();
    if (words !== undefined && !live.aborted && this.state.open.length === 0) await this.compact(words);
    // Messages that were sent too late for this run start the next run.
    const { outcome, applies } = this.state.lastRun ?? {};
    if (outcome === 'answered' && !applies && !live.aborted && this.queue.size > 0) await this.sendQueued();
  }

  /** Locks the log for a run while `use` works with it. */
  async #with<T>(beginning: { runId: string; pace: Pacing }, use: (live: LiveRun) => Promise<T>): Promise<T> {
    const live = new LiveRun({ sessionId: this.id, ...beginning }, this.#log, this.#now);
    this.#log.begin(live);
    this.#live = live;
    try {
      return await use(live);
    } finally {
      this.#live = undefined;
      this.#log.end();
      live.end();
    }
  }

  #expectIdle(): void {
    if (this.#live) throw new SessionError('A run is in progress in this session. Stop it, or wait until it ends.');
    if (this.changes.takingBack) throw new SessionError('Changes are being undone in this session. Wait until that is done.');
    this.refresh();
  }

  /** Applies the events that another window or process has added to the log. New events continue their sequence numbers. */
  refresh = (): void => this.#log.refresh();
}
