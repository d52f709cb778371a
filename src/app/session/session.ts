/** One conversation: its log, its state, its live run, and the answers that runs wait for. */

import type { AgentEvent, ApprovalAnswer, EventBody, QuestionAnswer } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import type { Limits } from '../../core/session/limits.ts';
import { type RunRecord, type SessionState, waitsForUser } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import { totalsOf } from '../../core/session/usage-totals.ts';
import type { SessionView } from '../../core/view/session-view.ts';
import type { SessionLog } from '../../sessions/store.ts';
import type { SessionsPorts } from '../ports.ts';
import { LiveRun } from '../run/live-run.ts';
import { Pacing } from '../run/pacing.ts';
import type { Work } from '../work.ts';
import { resolveApproval } from './approvals.ts';
import { Changes } from './changes.ts';
import { compactableRun, expectCompacted } from './compaction.ts';
import { EventLog, type Listener, type Waiting } from './event-log.ts';
import { MessageQueue } from './message-queue.ts';
import { type Bound, Plans, plannedMode } from './plans.ts';
import { type Prompt, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';

/** Displayed in place of the prompt if a message contains only images. */
const IMAGE_ALONE = 'Image';

const newId = () => crypto.randomUUID();

export { SessionError };

export class Session {
  readonly id: string;
  readonly state: SessionState;
  /** Messages that the user sent during a run and that the model has not received yet. */
  readonly queue: MessageQueue;
  /** Durable events in log order. The newest may not be written to disk yet. */
  readonly events: readonly AgentEvent[];
  readonly plans: Plans;
  readonly changes: Changes;
  readonly #ports: SessionsPorts;
  readonly #work: Work;
  readonly #log: EventLog;
  readonly #now: () => number;
  #live: LiveRun | undefined;
  #isCompacting = false;

  constructor(id: string, log: SessionLog, events: readonly AgentEvent[], ports: SessionsPorts, work: Work) {
    this.id = id;
    this.#ports = ports;
    this.#work = work;
    this.#now = ports.now ?? Date.now;
    this.#log = new EventLog(log, events, this.#now);
    this.state = this.#log.state;
    this.events = this.#log.events;
    const desk = { state: this.state, newId, emit: (runId: string, body: EventBody) => this.#log.emit(runId, body) };
    this.queue = new MessageQueue(desk);
    const expectIdle = () => this.#expectIdle();
    this.changes = new Changes({ log: this.#log, gate: () => work.gate(), newId, expectIdle });
    this.plans = new Plans({
      ...desk,
      expectIdle,
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

  /** The view of the session that hosts display. */
  get view(): SessionView {
    return this.#log.view;
  }

  /** A sentence for the user that says how many damaged lines of the log were skipped. */
  get damage(): string | undefined {
    return this.#log.damage;
  }

  /** Calls `listener` for every further event, including deltas. Returns a function that removes the listener. */
  subscribe(listener: Listener): () => void {
    return this.#log.subscribe(listener);
  }

  /** Starts a run and resolves when it has ended, paused or stopped. @throws SessionError while another run is live. */
  async prompt({ text, mode: wanted, model, attachments = [], notes = [] }: Prompt, bound: Bound = {}): Promise<void> {
    this.#expectIdle();
    const { shown, ...ties } = bound;
    const { settings } = this.#ports;
    const mode = plannedMode(wanted, bound, settings.requirePlan?.());
    const limits = settings.limits(mode);
    const ref = model ?? settings.model(mode);
    this.#supersede();
    const started: EventBody = { type: 'run_started', mode, prompt: shown ?? (text || IMAGE_ALONE), model: ref, limits, ...ties };
    const message = userMessage(text, [...attachments, ...notes, ...takenBackNote(this.state)]);
    await this.#run(newId(), limits, this.queue.opening(started, { type: 'message_added', message }));
  }

  /**
   * Sends a message. While a run is in progress or paused by the user, the message is queued for the model's next turn. Otherwise it starts
   * a run.
   */
  async say(prompt: Prompt): Promise<void> {
    const run = this.state.lastRun;
    if (!run || !(this.running || (run.status === 'paused' && run.pause === 'user'))) return this.prompt(prompt);
    this.queue.add(userMessage(prompt.text, prompt.attachments ?? []));
  }

  /** Starts a run with the messages that were queued for an earlier run. */
  async sendQueued(): Promise<void> {
    this.#expectIdle();
    const { lastRun } = this.state;
    if (!lastRun || this.queue.size === 0) return;
    if (lastRun.status === 'live') throw new SessionError('The run is waiting for your answer. Answer it first.');
    if (lastRun.status === 'paused') return this.resume();
    const { model } = lastRun;
    const { settings } = this.#ports;
    const mode = plannedMode(lastRun.mode, {}, settings.requirePlan?.());
    const limits = settings.limits(mode);
    const prompt = this.queue.text || IMAGE_ALONE;
    const started: EventBody = { type: 'run_started', mode, prompt, model, limits };
    await this.#run(newId(), limits, this.queue.opening(started));
  }

  /**
   * Continues a run that was paused or interrupted. A limit that was reached is extended by its original amount. A daily limit is raised
   * only with `raise`, until the day ends.
   */
  async resume({ raise = false } = {}): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live?.pace.release()) return this.#live.done;
    const run = this.#paused();
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
    await this.#resume(this.#paused().runId, [], new Pacing(1));
  }

  /** Resolves when a run that has just paused has ended completely. */
  get #leaving(): Promise<void> | undefined {
    return this.running ? undefined : this.#live?.done;
  }

  #paused(): RunRecord {
    this.#expectIdle();
    const run = this.state.lastRun;
    if (!run || (run.status === 'finished' && run.outcome !== 'failed'))
      throw new SessionError('There is no paused run to continue. Send a message to start a run.');
    return run;
  }

  /** Stops the live run at once. Its changes are kept and can be undone. Resolves when the run has ended. */
  async stop(): Promise<void> {
    const live = this.#live;
    if (live) {
      const isRun = !this.#isCompacting;
      live.abort();
      await live.done;
      if (!isRun || this.state.lastRun?.status !== 'paused') return;
    }
    this.refresh();
    this.#supersede();
  }

  /** Compacts the conversation, in a live run before its next turn. `words` is what to keep. @throws SessionError if it cannot become shorter. */
  async compact(words = ''): Promise<void> {
    if (this.#isCompacting) return;
    if (this.#live && this.running) return this.#live.compactNext(words);
    this.#expectIdle();
    const { runId, mode, status } = compactableRun(this.state);
    const beginning = { runId, limits: this.#ports.settings.limits(mode), pace: new Pacing() };
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
      grantForGood: (covers) => this.#ports.grants.add(covers),
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
    if (!this.#live && !waitsForUser(this.state)) await this.#resume(runId);
  }

  /** Revokes a permission or all permissions, also for the live run. Without a live run, this is logged before the next event. */
  revokeGrants(covers?: Permission): void {
    this.#log.revokeGrants(covers);
  }

  /** Stops the live run without logging its end, so that it can be resumed after a reload. */
  close(): void {
    this.#log.close();
  }

  async #resume(runId: string, more: readonly EventBody[] = [], pace?: Pacing): Promise<void> {
    const { mode } = this.state.runs.get(runId) as RunRecord;
    await this.#run(runId, this.#ports.settings.limits(mode), [{ type: 'run_resumed' }, ...more], pace);
  }

  /** Starts a run. It is live, and can be stopped, before a listener receives its first event. */
  async #run(runId: string, limits: Limits, opening: Iterable<EventBody>, pace = new Pacing()): Promise<void> {
    const live = await this.#with({ runId, limits, pace }, async (each) => {
      await each.drive(opening, this.#work);
      return each;
    });
    const words = live.compactionAsked();
    if (words !== undefined && !live.aborted && this.state.open.length === 0) await this.compact(words);
    // Messages that were sent too late for this run start the next run.
    if (this.state.lastRun?.outcome === 'answered' && !live.aborted) await this.sendQueued();
  }

  /** Locks the log for a run while `use` works with it. */
  async #with<T>(beginning: { runId: string; limits: Limits; pace: Pacing }, use: (live: LiveRun) => Promise<T>): Promise<T> {
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
  refresh(): void {
    this.#log.refresh();
  }

  /** Ends a paused or interrupted run, because another run starts or the user stops it. */
  #supersede(): void {
    const run = this.state.lastRun;
    if (run && run.status !== 'finished')
      this.#log.emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...totalsOf(run, this.state, this.#now()) });
  }
}
