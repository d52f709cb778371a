/** One conversation: its log, its state, the run that is live in it, and the answers that runs wait for. */

import type { ModelRef } from '../../core/model/messages.ts';
import type { BudgetKey } from '../../core/run/budget.ts';
import type { ChangeSummary, Review } from '../../core/run/tool.ts';
import { totalsOf } from '../../core/run/usage-totals.ts';
import type { AgentEvent, ApprovalAnswer, EventBody, Limits, Mode, QuestionAnswer, RestorePoint } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import { type RunRecord, type SessionState, waitsForUser } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import type { SessionLog } from '../../sessions/store.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import { type BuiltRun, LiveRun } from '../run/live-run.ts';
import { Pacing } from '../run/pacing.ts';
import { resolveApproval } from './approvals.ts';
import { writesOfRun } from './checkpoints.ts';
import { EventLog, type Listener, type Waiting } from './event-log.ts';
import { MessageQueue } from './message-queue.ts';
import { type Bound, type PlanOptions, Plans, plannedMode } from './plans.ts';
import { type Prompt, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';
import { restoring, type TakingBack, takeBack, type UndoPart, undoing } from './undo.ts';

/** What stands for the words of a prompt that has none. */
const IMAGE_ALONE = 'Image';

/** What a session needs from the app: how a run of a mode is built. */
export type SessionPorts = {
  modelFor(mode: Mode): ModelRef;
  limitsFor(mode: Mode): Limits;
  build(run: RunRecord, session: Session): Promise<BuiltRun>;
  /** For undo. It is not handed to runs: those of Ask and Plan are built without it. */
  gate(): Promise<WriteGate>;
  /** The user allowed it for good in this workspace. */
  grantForGood(covers: Permission): void;
  /** Raises a limit of the day by as much again, until the day ends. */
  raiseToday?(limit: BudgetKey): void;
  /** Whether a plan has to be confirmed before anything is changed. */
  requirePlan?(): boolean;
  now(): number;
  newId(): string;
};

export { SessionError };

export class Session {
  readonly id: string;
  readonly state: SessionState;
  /** What the user said during a run and the model has not heard yet. */
  readonly queue: MessageQueue;
  /** All durable events, as they are in the log; the last may only be about to be. */
  readonly events: readonly AgentEvent[];
  readonly plans: Plans;
  readonly #ports: SessionPorts;
  readonly #log: EventLog;
  #live: LiveRun | undefined;
  /** Until an undo or a restore has ended. */
  #takingBack: Promise<void> | undefined;

  constructor(id: string, log: SessionLog, events: readonly AgentEvent[], ports: SessionPorts) {
    this.id = id;
    this.#ports = ports;
    this.#log = new EventLog(log, events, ports.now);
    this.state = this.#log.state;
    this.events = this.#log.events;
    const desk = { state: this.state, newId: ports.newId, emit: (runId: string, body: EventBody) => this.#log.emit(runId, body) };
    this.queue = new MessageQueue(desk);
    this.plans = new Plans({
      ...desk,
      expectIdle: () => this.#expectIdle(),
      prompt: (prompt, bound) => this.prompt(prompt, bound),
      resume: (runId, opening) => this.#run(runId, [{ type: 'run_resumed' }, ...opening]),
    });
  }

  /** A run is under way, or waits for an answer of the user. */
  get running(): boolean {
    return this.#live !== undefined && this.state.lastRun?.status === 'live';
  }

  /** A run is under way or not quite over, or changes are being taken back. */
  get busy(): boolean {
    return this.#live !== undefined || this.#takingBack !== undefined;
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
    const mode = plannedMode(wanted, bound, this.#ports.requirePlan?.());
    const runId = this.#ports.newId();
    const limits = this.#ports.limitsFor(mode);
    const ref = model ?? this.#ports.modelFor(mode);
    this.#supersede();
    const started: EventBody = { type: 'run_started', mode, prompt: shown ?? (text || IMAGE_ALONE), model: ref, limits, ...ties };
    const message = userMessage(text, [...attachments, ...notes, ...takenBackNote(this.state)]);
    await this.#run(runId, this.#opening(started, { type: 'message_added', message }));
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
    if (lastRun.status === 'live') throw new SessionError('The run waits for your answer first.');
    if (lastRun.status === 'paused') return this.resume();
    const { model } = lastRun;
    const mode = plannedMode(lastRun.mode, {}, this.#ports.requirePlan?.());
    const prompt = this.queue.text || IMAGE_ALONE;
    const started: EventBody = { type: 'run_started', mode, prompt, model, limits: this.#ports.limitsFor(mode) };
    await this.#run(this.#ports.newId(), this.#opening(started));
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
    if (raise && run.pause === 'limit' && run.reached) this.#ports.raiseToday?.(run.reached.limit);
    await this.#run(run.runId, [{ type: 'run_resumed' }]);
  }

  /** Holds the live run as soon as what is under way, a turn of the model or a call, has ended. */
  pause(): void {
    if (!this.#live) throw new SessionError('No run is under way.');
    this.#live.pace.hold();
  }

  /** Lets a run that is held take one more step, a turn of the model or a call; holds one that is not, as `pause` does. */
  async step(): Promise<void> {
    if (this.#leaving) await this.#leaving;
    if (this.#live) return this.#live.pace.step();
    await this.#run(this.#paused().runId, [{ type: 'run_resumed' }], new Pacing(1));
  }

  /** The end of a run that has just paused and is not quite over. */
  get #leaving(): Promise<void> | undefined {
    return this.running ? undefined : this.#live?.done;
  }

  #paused(): RunRecord {
    this.#expectIdle();
    const run = this.state.lastRun;
    if (!run || (run.status === 'finished' && run.outcome !== 'failed')) throw new SessionError('There is no paused run to go on with.');
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
      gate: this.#ports.gate,
      grantForGood: this.#ports.grantForGood,
      widening: (request) => this.plans.widening(request, this.events),
    });
    await Promise.all(answered.map((id) => this.#goOn(runId, id)));
  }

  /** Answers a question that a call asked. As for approvals, a run that a reload interrupted goes on, and this resolves when it has ended. */
  async answerQuestion(questionId: string, answer: QuestionAnswer): Promise<void> {
    this.refresh();
    const asked = this.state.pendingQuestions.get(questionId);
    if (!asked) throw new SessionError('This question was answered already.');
    const { runId, callId } = asked;
    this.#log.emit(runId, { type: 'question_answered', questionId, callId, answer });
    await this.#goOn(runId, questionId);
  }

  async #goOn(runId: string, questionId: string): Promise<void> {
    if (this.#takingBack) await this.#takingBack;
    if (this.#live?.answered(questionId)) return;
    if (!this.#live && !waitsForUser(this.state)) await this.#run(runId, [{ type: 'run_resumed' }]);
  }

  /** Carries out a proposed plan, as it is or as the user edited it; or drops it. Resolves when its run has ended. */
  async answerPlan(planId: string, answer: 'run' | 'discard', options: PlanOptions = {}): Promise<void> {
    await this.plans.answer(planId, answer, options);
  }

  /** Edits are asked for again, in the run that is live too; where none is, the log says so before anything else happens. */
  revokeGrants(covers?: Permission): void {
    this.#log.revokeGrants(covers);
  }

  /**
   * Takes back what a run wrote: all of it, one file, or one hunk of that as `review` showed it. Where somebody went on working, theirs is
   * kept by merging, or the file is refused. Where `signal` stops it, nothing was done, or the log says what was.
   */
  async undo(runId: string, part?: UndoPart, signal?: AbortSignal): Promise<void> {
    this.#expectIdle();
    await this.#takeBack(() => undoing(this.state, runId, part), signal);
  }

  /** Takes the files that Kedge wrote back to how they were at that point of this session, over all of its runs. */
  async restore(to: RestorePoint): Promise<void> {
    this.#expectIdle();
    await this.#takeBack(() => restoring(this.state, to));
  }

  /** Proposed changes with all of their diffs, of which the log keeps the beginning. */
  async wholeChanges(changes: readonly ChangeSummary[]): Promise<ChangeSummary[]> {
    return (await this.#ports.gate()).wholeChanges(changes);
  }

  /** What is left in a file of a run's changes, by hunks. */
  async review(runId: string, path: string): Promise<Review> {
    return (await this.#ports.gate()).review(writesOfRun(this.state, runId, path));
  }

  async #takeBack(plan: () => TakingBack, signal?: AbortSignal): Promise<void> {
    const { gate, newId } = this.#ports;
    const ended = takeBack(plan, { log: this.#log, gate, newId }, signal);
    this.#takingBack = ended.catch(() => undefined);
    try {
      await ended;
    } finally {
      this.#takingBack = undefined;
    }
  }

  /** Ends a live run without a word in the log, which so still says that it is to be gone on with. */
  close(): void {
    this.#log.close();
  }

  /** The run is live, and can be stopped, before anyone hears of it. */
  async #run(runId: string, opening: Iterable<EventBody>, pace = new Pacing()): Promise<void> {
    const live = new LiveRun(runId, pace, { log: this.#log, now: this.#ports.now, build: (run) => this.#ports.build(run, this) });
    this.#log.begin(live);
    this.#live = live;
    try {
      await live.drive(opening);
    } finally {
      this.#live = undefined;
      this.#log.end();
      live.end();
    }
    // What came too late for this run starts the next.
    if (this.state.lastRun?.outcome === 'answered' && !live.aborted) await this.sendQueued();
  }

  #expectIdle(): void {
    if (this.#live) throw new SessionError('A run is under way in this session. Stop it first, or wait for it.');
    if (this.#takingBack) throw new SessionError('Changes are being taken back in this session. Wait for that.');
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
      this.#log.emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...totalsOf(run, this.state, this.#ports.now()) });
  }
}
