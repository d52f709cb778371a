/** One conversation: its log, its state, the run that is live in it, and the answers that runs wait for. */

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
import { EventLog, type Listener, type Waiting } from './event-log.ts';
import { MessageQueue } from './message-queue.ts';
import { type Bound, Plans, plannedMode } from './plans.ts';
import { type Prompt, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';

/** What stands for the words of a prompt that has none. */
const IMAGE_ALONE = 'Image';

const newId = () => crypto.randomUUID();

export { SessionError };

export class Session {
  readonly id: string;
  readonly state: SessionState;
  /** What the user said during a run and the model has not heard yet. */
  readonly queue: MessageQueue;
  /** All durable events, as they are in the log; the last may only be about to be. */
  readonly events: readonly AgentEvent[];
  readonly plans: Plans;
  readonly changes: Changes;
  readonly #ports: SessionsPorts;
  readonly #work: Work;
  readonly #log: EventLog;
  readonly #now: () => number;
  #live: LiveRun | undefined;

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

  /** A run is under way, or waits for an answer of the user. */
  get running(): boolean {
    return this.#live !== undefined && this.state.lastRun?.status === 'live';
  }

  /** A run is under way or not quite over, or changes are being taken back. */
  get busy(): boolean {
    return this.#live !== undefined || this.changes.takingBack !== undefined;
  }

  /** All durable events as hosts show them. */
  get view(): SessionView {
    return this.#log.view;
  }

  /** What was left out of its log because it is damaged, as a sentence for the user. */
  get damage(): string | undefined {
    return this.#log.damage;
  }

  /** Calls `listener` with every event from now on, deltas too. Returns how to end that. */
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
    await this.#run(newId(), limits, this.#opening(started, { type: 'message_added', message }));
  }

  /** Says something: during a run, also one that the user holds, it waits to join before the model's next turn; else it starts a run. */
  async say(prompt: Prompt): Promise<void> {
    const run = this.state.lastRun;
    if (!run || !(this.running || (run.status === 'paused' && run.pause === 'user'))) return this.prompt(prompt);
    this.queue.add(userMessage(prompt.text, prompt.attachments ?? []));
  }

  /** Starts a run with what waited to join one that ended before. */
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
    await this.#run(newId(), limits, this.#opening(started));
  }

  /** What waits to join goes along, as it is at that moment. */
  *#opening(started: EventBody, ...prompt: EventBody[]): Generator<EventBody> {
    yield started;
    yield* this.queue.opening();
    yield* prompt;
  }

  /**
   * Goes on with a run that paused or was interrupted; at a limit, with as much again. A limit of the day is raised only where `raise` says
   * so, and until the day ends.
   */
  async resume({ raise = false } = {}): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live?.pace.release()) return this.#live.done;
    const run = this.#paused();
    if (raise && run.pause === 'limit' && run.reached) this.#work.day?.raise(run.reached.limit);
    await this.#resume(run.runId);
  }

  /** Holds the live run as soon as what is under way, a turn of the model or a call, has ended. */
  pause(): void {
    if (!this.#live) throw new SessionError('No run is in progress.');
    this.#live.pace.hold();
  }

  /** Lets a run that is held take one more step, a turn of the model or a call; holds one that is not, as `pause` does. */
  async step(): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live) return this.#live.pace.step();
    await this.#resume(this.#paused().runId, [], new Pacing(1));
  }

  /** The end of a run that has just paused and is not quite over. */
  get #leaving(): Promise<void> | undefined {
    return this.running ? undefined : this.#live?.done;
  }

  #paused(): RunRecord {
    this.#expectIdle();
    const run = this.state.lastRun;
    if (!run || (run.status === 'finished' && run.outcome !== 'failed')) throw new SessionError('There is no paused run to continue.');
    return run;
  }

  /** Ends the live run at once. What it wrote stays, and can be undone. Resolves when the run has ended. */
  async stop(): Promise<void> {
    const live = this.#live;
    if (live) {
      live.abort();
      await live.done;
      if (this.state.lastRun?.status !== 'paused') return;
    }
    this.refresh();
    this.#supersede();
  }

  /** Ends the live run as failed, for a reason that it does not notice itself. */
  fail(why: Error): void {
    this.#live?.abort(why);
  }

  /** The wait that the live run is in before it asks the model again, with the time that is left of it. */
  get waiting(): Waiting | undefined {
    return this.#log.waiting;
  }

  /** Where the live run waits to send a request again, it is sent now. */
  retryNow(): void {
    this.#live?.retryNow();
  }

  /** Answers an approval, of the live run or of one that a reload interrupted; then resolves when that run has ended. */
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

  /** Answers a question that a call asked. As for approvals, a run that a reload interrupted goes on, and this resolves when it has ended. */
  async answerQuestion(questionId: string, answer: QuestionAnswer): Promise<void> {
    this.refresh();
    const asked = this.state.pendingQuestions.get(questionId);
    if (!asked) throw new SessionError('This question has already been answered.');
    const { runId, callId } = asked;
    this.#log.emit(runId, { type: 'question_answered', questionId, callId, answer });
    await this.#goOn(runId, questionId);
  }

  async #goOn(runId: string, questionId: string): Promise<void> {
    if (this.changes.takingBack) await this.changes.takingBack;
    if (this.#live?.goOn(questionId)) return;
    if (!this.#live && !waitsForUser(this.state)) await this.#resume(runId);
  }

  /** Edits are asked for again, in the run that is live too; where none is, the log says so before anything else happens. */
  revokeGrants(covers?: Permission): void {
    this.#log.revokeGrants(covers);
  }

  /** Ends a live run without a word in the log, which so still says that it is to be gone on with. */
  close(): void {
    this.#log.close();
  }

  async #resume(runId: string, more: readonly EventBody[] = [], pace?: Pacing): Promise<void> {
    const { mode } = this.state.runs.get(runId) as RunRecord;
    await this.#run(runId, this.#ports.settings.limits(mode), [{ type: 'run_resumed' }, ...more], pace);
  }

  /** The run is live, and can be stopped, before anyone hears of it. */
  async #run(runId: string, limits: Limits, opening: Iterable<EventBody>, pace = new Pacing()): Promise<void> {
    const live = new LiveRun({ sessionId: this.id, runId, limits, pace }, this.#log, this.#now);
    this.#log.begin(live);
    this.#live = live;
    try {
      await live.drive(opening, this.#work);
    } finally {
      this.#live = undefined;
      this.#log.end();
      live.end();
    }
    // What came too late for this run starts the next.
    if (this.state.lastRun?.outcome === 'answered' && !live.aborted) await this.sendQueued();
  }

  #expectIdle(): void {
    if (this.#live) throw new SessionError('A run is in progress in this session. Stop it, or wait until it ends.');
    if (this.changes.takingBack) throw new SessionError('Changes are being undone in this session. Wait until that is done.');
    this.refresh();
  }

  /** Takes in what another window or process has done in this session since: it goes on from there, and numbers events from there. */
  refresh(): void {
    this.#log.refresh();
  }

  /** A run that is not finished and that nobody waits for any more ends. */
  #supersede(): void {
    const run = this.state.lastRun;
    if (run && run.status !== 'finished')
      this.#log.emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...totalsOf(run, this.state, this.#now()) });
  }
}
