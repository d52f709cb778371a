/** One conversation: its log, its state, the run that is live in it, and the answers that runs wait for. */
import { abortable } from '../core/abort.ts';
import { type BudgetKey, Meter, type RunBudget, type Shared } from '../core/budget.ts';
import { type Covers, sameCovers } from '../core/covers.ts';
import type { AgentEvent, ApprovalAnswer, EventBody, Limits, Mode, QuestionAnswer, RestorePoint } from '../core/events.ts';
import { isDurable } from '../core/events.ts';
import type { ImagePart, ModelRef, TextPart } from '../core/messages.ts';
import type { ModelAdapter } from '../core/model.ts';
import type { Plan } from '../core/plan.ts';
import { receiptOf } from '../core/receipt.ts';
import type { RunPorts, runLoop } from '../core/run.ts';
import { runError } from '../core/run-error.ts';
import type { ApprovalRequest, RunRecord, SessionState } from '../core/session.ts';
import { emptySession, foldSession, reduce, waitsForUser } from '../core/session.ts';
import { spent } from '../core/spent.ts';
import type { Review } from '../core/tool.ts';
import { endsWait } from '../core/waiting.ts';
import { takenBackNote } from '../core/writes.ts';
import type { SessionLog } from '../sessions/store.ts';
import type { WriteGate } from '../workspace/gate.ts';
import { resolveApproval } from './approvals.ts';
import { writesOfRun } from './checkpoints.ts';
import { MessageQueue, userMessage } from './message-queue.ts';
import { Pacing } from './pacing.ts';
import { type Bound, Plans, plannedMode } from './plans.ts';
import { SessionError } from './session-error.ts';
import { restoring, type TakingBack, type UndoPart, undoing } from './undoing.ts';

/** What stands for the words of a prompt that has none. */
const IMAGE_ALONE = 'Image';
const IN_USE = 'This session is in use by another window or process.';

/** `text` may be empty where something is attached. */
export type Prompt = {
  text: string;
  mode: Mode;
  /** Overrides the model of the mode. */
  model?: ModelRef;
  /** Added to the message after the text: referenced files, selections, images. */
  attachments?: (TextPart | ImagePart)[];
};

/** The plan as the user edited it, and what overrides the model of Agent mode. */
export type PlanOptions = { edited?: Plan | undefined; model?: ModelRef };

export type Listener = (event: AgentEvent) => void;

/** A run as the app builds it. `shrunk` says why its limits are smaller than usual; `shared` counts for all runs of the day. */
export type BuiltRun = Pick<RunPorts, 'adapter' | 'request' | 'tools' | 'decide' | 'alike' | 'blind' | 'price' | 'limits' | 'closing'> & {
  shrunk?: string;
  budget?: RunBudget;
  shared?: Shared;
  loop: typeof runLoop;
};

/** What a session needs from the app: how a run of a mode is built. */
export type SessionPorts = {
  modelFor(mode: Mode): ModelRef;
  limitsFor(mode: Mode): Limits;
  build(run: RunRecord, session: Session): Promise<BuiltRun>;
  /** For undo. It is not handed to runs: those of Ask and Plan are built without it. */
  gate(): Promise<WriteGate>;
  /** The user allowed it for good in this workspace. */
  grantForGood(covers: Covers): void;
  /** Raises a limit of the day by as much again, until the day ends. */
  raiseToday?(limit: BudgetKey): void;
  /** Whether a plan has to be confirmed before anything is changed. */
  requirePlan?(): boolean;
  now(): number;
  newId(): string;
};

export type { UndoPart } from './undoing.ts';
export { SessionError };

type Live = {
  runId: string;
  controller: AbortController;
  done: Promise<void>;
  pace: Pacing;
  adapter?: ModelAdapter;
  canWrite?: boolean;
  waiting?: Waiting | undefined;
};
type Waiting = Extract<AgentEvent, { type: 'model_waiting' }>;

export class Session {
  readonly id: string;
  readonly state: SessionState = emptySession();
  /** What the user said during a run and the model has not heard yet. */
  readonly queue: MessageQueue;
  /** All durable events, as they are in the log; the last may only be about to be. */
  readonly events: AgentEvent[] = [];
  readonly plans: Plans;
  readonly #ports: SessionPorts;
  readonly #log: SessionLog;
  readonly #listeners = new Set<Listener>();
  /** What the live run waits for, by the id of the question. */
  readonly #waiting = new Map<string, () => void>();
  #live: Live | undefined;
  /** Until an undo or a restore has ended. */
  #takingBack: Promise<void> | undefined;
  /** That the last run was interrupted, as long as nothing else happened: to look at a session writes nothing. */
  #unlogged: AgentEvent | undefined;
  /** Grants that the log still holds are to be taken back. */
  #revoking: boolean | Covers = false;
  #logFailure: Error | undefined;
  #closed = false;

  constructor(id: string, log: SessionLog, events: readonly AgentEvent[], ports: SessionPorts) {
    this.id = id;
    this.#log = log;
    this.#ports = ports;
    for (const event of events) {
      this.events.push(event);
      reduce(this.state, event);
    }
    this.#noticeInterruption();
    this.queue = new MessageQueue({ state: this.state, newId: ports.newId, emit: (runId, body) => this.#emit(runId, body) });
    this.plans = new Plans({
      state: this.state,
      newId: () => this.#ports.newId(),
      expectIdle: () => this.#expectIdle(),
      emit: (runId, body) => this.#emit(runId, body),
      prompt: (prompt, bound) => this.prompt(prompt, bound),
      resume: (runId, opening) => this.#run(runId, [{ type: 'run_resumed' }, ...opening]),
    });
  }

  /** A run is under way, or waits for an answer of the user. */
  get running(): boolean {
    return this.#live !== undefined && this.state.lastRun?.status === 'live';
  }

  /** Calls `listener` with every event from now on, deltas too. Returns how to end that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts a run and resolves when it has ended, paused or stopped. @throws SessionError while another run is live. */
  async prompt({ text, mode: wanted, model, attachments = [] }: Prompt, bound: Bound = {}): Promise<void> {
    this.#expectIdle();
    const { shown, ...ties } = bound;
    const mode = plannedMode(wanted, bound, this.#ports.requirePlan?.());
    const runId = this.#ports.newId();
    const limits = this.#ports.limitsFor(mode);
    const ref = model ?? this.#ports.modelFor(mode);
    this.#supersede();
    const started: EventBody = { type: 'run_started', mode, prompt: shown ?? (text || IMAGE_ALONE), model: ref, limits, ...ties };
    const message = userMessage(text, [...attachments, ...takenBackNote(this.state)]);
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
      live.controller.abort();
      await live.done;
      if (this.state.lastRun?.status !== 'paused') return;
    }
    this.refresh();
    this.#supersede();
  }

  /** The wait that the live run is in before it asks the model again, with the time that is left of it. */
  get waiting(): Waiting | undefined {
    const wait = this.#live?.waiting;
    return wait && { ...wait, waitMs: Math.max(0, wait.at + wait.waitMs - this.#ports.now()) };
  }

  /** Where the live run waits to send a request again, it is sent now. */
  retryNow(): void {
    this.#live?.adapter?.retryNow?.();
  }

  /** Answers an approval, of the live run or of one that a reload interrupted; then resolves when that run has ended. */
  async answerApproval(approvalId: string, given: ApprovalAnswer): Promise<void> {
    this.refresh();
    const { runId, answered } = await resolveApproval(approvalId, given, {
      state: this.state,
      emit: (id, body) => this.#emit(id, body),
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
    this.#emit(runId, { type: 'question_answered', questionId, callId, answer });
    await this.#goOn(runId, questionId);
  }

  async #goOn(runId: string, questionId: string): Promise<void> {
    if (this.#takingBack) await this.#takingBack;
    const waiting = this.#waiting.get(questionId);
    if (waiting) waiting();
    else if (!this.#live && !waitsForUser(this.state)) await this.#run(runId, [{ type: 'run_resumed' }]);
  }

  /** Carries out a proposed plan, as it is or as the user edited it; or drops it. Resolves when its run has ended. */
  async answerPlan(planId: string, answer: 'run' | 'discard', options: PlanOptions = {}): Promise<void> {
    await this.plans.answer(planId, answer, options);
  }

  /** Edits are asked for again, in the run that is live too; where none is, the log says so before anything else happens. */
  revokeGrants(covers?: Covers): void {
    // Where two things are taken back before the log hears of either, all is.
    this.#revoking = this.#revoking || !covers ? true : covers;
    if (!this.#live) return;
    try {
      this.#revoke();
    } catch {
      // The run ends where its log cannot be written.
    }
  }

  #revoke(): void {
    const { lastRun, grants } = this.state;
    const covers = this.#revoking === true ? undefined : this.#revoking;
    const granted = grants.some((grant) => !covers || sameCovers(grant.covers, covers));
    if (lastRun && granted) this.#publish(lastRun.runId, { type: 'grants_revoked', ...(covers && { covers }) });
    this.#revoking = false;
  }

  /**
   * Takes back what a run wrote: all of it, one file, or one hunk of that as `review` showed it. Where somebody went on working, theirs is
   * kept by merging, or the file is refused.
   */
  async undo(runId: string, part?: UndoPart): Promise<void> {
    this.#expectIdle();
    await this.#alone(() => this.#takeBack(undoing(this.state, runId, part)));
  }

  /** Takes the files that Kedge wrote back to how they were at that point of this session, over all of its runs. */
  async restore(to: RestorePoint): Promise<void> {
    this.#expectIdle();
    await this.#alone(() => this.#takeBack(restoring(this.state, to)));
  }

  /** What is left in a file of a run's changes, by hunks. */
  async review(runId: string, path: string): Promise<Review> {
    return (await this.#ports.gate()).review(writesOfRun(this.state, runId, path));
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    const ended = work();
    this.#takingBack = ended.catch(() => undefined);
    try {
      await ended;
    } finally {
      this.#takingBack = undefined;
    }
  }

  async #takeBack({ runId, isRestore, carryOut, done }: TakingBack): Promise<void> {
    this.#lock();
    const undoId = this.#ports.newId();
    try {
      const results = await carryOut(await this.#ports.gate(), (changes) =>
        this.#emit(runId, { type: 'undo_staged', undoId, ...(isRestore && { restore: true }), changes }),
      );
      this.#emit(runId, done(undoId, results));
    } finally {
      this.#log.unlock();
    }
  }

  /** Ends a live run without a word in the log, which so still says that it is to be gone on with. */
  close(): void {
    this.#closed = true;
    // From here on nothing can be recorded, so nothing may be done either.
    this.#logFailure ??= new SessionError('This session is closed.');
    this.#live?.controller.abort();
    this.#log.close();
    this.#log.unlock();
  }

  /** The run is live, and can be stopped, before anyone hears of it. */
  async #run(runId: string, opening: Iterable<EventBody>, pace = new Pacing()): Promise<void> {
    this.#lock();
    const controller = new AbortController();
    let end = () => {};
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#live = { runId, controller, done, pace };
    try {
      await this.#drive(runId, opening, pace, controller.signal);
      if (!this.#logFailure) this.#log.sync();
    } finally {
      this.#live = undefined;
      this.#log.close();
      this.#log.unlock();
      end();
    }
    // What came too late for this run starts the next.
    if (this.state.lastRun?.outcome === 'answered' && !controller.signal.aborted) await this.sendQueued();
  }

  async #drive(runId: string, opening: Iterable<EventBody>, pace: Pacing, signal: AbortSignal): Promise<void> {
    const { now } = this.#ports;
    let settle = () => {};
    const emit = (event: EventBody) => this.#emit(runId, event);
    try {
      for (const event of opening) emit(event);
      const run = this.state.runs.get(runId) as RunRecord;
      const built = await abortable(this.#ports.build(run, this), signal);
      if (this.#live) this.#live.adapter = built.adapter;
      if (this.#live) this.#live.canWrite = built.tools.some(({ effect }) => effect !== 'readonly');
      if (built.shrunk) emit({ type: 'limits_shrunk', limits: built.limits, reason: built.shrunk });
      const { approvals, questionAnswers } = this.state;
      const answered = async (id: string, stopped: AbortSignal) => {
        const { callId } = this.state.pendingApprovals.get(id) as ApprovalRequest;
        await this.#answered(id, stopped);
        return approvals.get(callId)?.answer as ApprovalAnswer;
      };
      const replied = async (id: string, stopped: AbortSignal) => {
        await this.#answered(id, stopped);
        return questionAnswers.get(id) as QuestionAnswer;
      };
      const meter = new Meter({ ...built.limits, ...built.budget }, now, run.used, run.from, built.shared);
      settle = () => built.shared?.settle(run.status === 'finished');
      const { loop, ...rest } = built;
      await loop({ ...rest, model: run.model, meter, pace, state: this.state, emit, answered, replied, now }, signal);
    } catch (error) {
      const run = this.state.runs.get(runId);
      if (!run) throw error;
      const how =
        signal.aborted && !this.#logFailure ? { outcome: 'stopped' as const } : { outcome: 'failed' as const, error: runError(error) };
      this.#publish(runId, { type: 'run_finished', ...how, ...spent(run, this.state, now()) });
    } finally {
      settle();
    }
  }

  #answered(id: string, signal: AbortSignal): Promise<void> {
    this.#log.sync();
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(id, () => {
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(id);
        resolve();
      });
    });
  }

  /** Durable first: nobody sees an event that the log does not hold. */
  #emit(runId: string, body: EventBody): void {
    if (isDurable(body) && this.#logFailure) throw this.#logFailure;
    if (isDurable(body) && this.#revoking) this.#revoke();
    this.#publish(runId, body);
  }

  #publish(runId: string, body: EventBody): void {
    if (this.#closed) return;
    const durable = isDurable(body);
    if (durable && !this.#live) {
      this.#expectNobodyElse();
      this.refresh();
    }
    const receipt = body.type === 'run_finished' && { receipt: receiptOf(this.events, runId, this.#live?.canWrite) };
    const event = { ...body, ...receipt, runId, seq: this.state.seq + (durable ? 1 : 0), at: this.#ports.now() } as AgentEvent;
    if (durable && !this.#logFailure) {
      try {
        if (this.#unlogged) this.#log.append(this.#unlogged);
        this.#unlogged = undefined;
        this.#log.append(event);
        if (!this.#live) this.#log.close();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#logFailure = new Error(`The session's log cannot be written, so the run was ended: ${why}`);
        this.#live?.controller.abort(this.#logFailure);
        throw this.#logFailure;
      }
    }
    if (durable) {
      this.events.push(event);
      reduce(this.state, event);
    }
    if (this.#live && event.type === 'model_waiting') this.#live.waiting = event;
    else if (this.#live && endsWait(event)) this.#live.waiting = undefined;
    this.#tell(event);
  }

  #tell(event: AgentEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // Whoever cannot show an event does not stop the run, nor keep it from the others.
        console.error(error);
      }
    }
  }

  #expectIdle(): void {
    if (this.#live) throw new SessionError('A run is under way in this session. Stop it first, or wait for it.');
    if (this.#takingBack) throw new SessionError('Changes are being taken back in this session. Wait for that.');
    this.refresh();
  }

  /** Takes in what another window or process has done in this session since: it goes on from there, and numbers events from there. */
  refresh(): void {
    if (this.#live || this.#closed) return;
    const missed = this.#log.missed().filter(({ seq }) => seq > this.#loggedSeq);
    if (missed.length === 0) return;
    if (this.#unlogged) this.events.pop();
    this.#unlogged = undefined;
    this.events.push(...missed);
    Object.assign(this.state, foldSession(this.events));
    if (!this.#log.inUse()) this.#noticeInterruption();
    for (const event of this.#unlogged ? [...missed, this.#unlogged] : missed) this.#tell(event);
  }

  get #loggedSeq(): number {
    return this.state.seq - (this.#unlogged ? 1 : 0);
  }

  #expectNobodyElse(): void {
    if (this.#log.inUse()) throw new SessionError(IN_USE);
  }

  #lock(): void {
    if (!this.#log.lock()) throw new SessionError(IN_USE);
  }

  /** A run that is not finished and that nobody waits for any more ends. */
  #supersede(): void {
    const run = this.state.lastRun;
    if (run && run.status !== 'finished')
      this.#emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...spent(run, this.state, this.#ports.now()) });
  }

  /** After a reload: a run that was under way and does not wait for an answer is shown as paused, and can be resumed. */
  #noticeInterruption(): void {
    const run = this.state.lastRun;
    if (run?.status !== 'live' || waitsForUser(this.state)) return;
    this.#unlogged = {
      type: 'run_paused',
      reason: 'interrupted',
      summary: 'The run was interrupted. It can go on where it stood.',
      runId: run.runId,
      seq: this.state.seq + 1,
      at: this.#ports.now(),
    };
    this.events.push(this.#unlogged);
    reduce(this.state, this.#unlogged);
  }
}
