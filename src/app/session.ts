/** One conversation: its log, its state, the run that is live in it, and the answers that runs wait for. */
import { abortable } from '../core/abort.ts';
import type { AgentEvent, ApprovalAnswer, EventBody, Limits, Mode, QuestionAnswer } from '../core/events.ts';
import { isDurable } from '../core/events.ts';
import type { ImagePart, ModelRef, TextPart } from '../core/messages.ts';
import type { ModelAdapter } from '../core/model.ts';
import type { Plan } from '../core/plan.ts';
import { planPrompt } from '../core/plan.ts';
import type { RunPorts } from '../core/run.ts';
import { runError, runLoop } from '../core/run.ts';
import type { ApprovalRequest, RunRecord, SessionState } from '../core/session.ts';
import { emptySession, reduce, spent, waitsForUser } from '../core/session.ts';
import type { SessionLog } from '../sessions/store.ts';
import type { WriteGate } from '../workspace/gate.ts';

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

/** A run as the app builds it. `shrunk` says why its limits are smaller than usual. */
export type BuiltRun = Pick<RunPorts, 'adapter' | 'request' | 'tools' | 'decide' | 'blind' | 'price' | 'limits'> & { shrunk?: string };

/** What a session needs from the app: how a run of a mode is built. */
export type SessionPorts = {
  modelFor(mode: Mode): ModelRef;
  limitsFor(mode: Mode): Limits;
  build(run: RunRecord, session: Session): Promise<BuiltRun>;
  /** For undo. It is not handed to runs: those of Ask and Plan are built without it. */
  gate(): WriteGate;
  /** The user chose not to be asked for edits in this workspace. */
  grantWorkspaceEdits(): void;
  now(): number;
  newId(): string;
};

/** Thrown where a caller asks for what the session's state does not allow; the message says what to do. */
export class SessionError extends Error {
  override name = 'SessionError';
}

type Live = { runId: string; controller: AbortController; done: Promise<void>; adapter?: ModelAdapter; waiting?: Waiting | undefined };
type Waiting = Extract<AgentEvent, { type: 'model_waiting' }>;

export class Session {
  readonly id: string;
  readonly state: SessionState = emptySession();
  /** All durable events, as they are in the log; the last may only be about to be. */
  readonly events: AgentEvent[] = [];
  readonly #ports: SessionPorts;
  readonly #log: SessionLog;
  readonly #listeners = new Set<Listener>();
  /** What the live run waits for, by the id of the question. */
  readonly #waiting = new Map<string, () => void>();
  #live: Live | undefined;
  /** That the last run was interrupted, as long as nothing else happened: to look at a session writes nothing. */
  #unlogged: AgentEvent | undefined;
  /** Grants that the log still holds are to be taken back. */
  #revoking = false;
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
  async prompt({ text, mode, model, attachments = [] }: Prompt, plan?: Plan): Promise<void> {
    this.#expectIdle();
    const runId = this.#ports.newId();
    const limits = this.#ports.limitsFor(mode);
    const ref = model ?? this.#ports.modelFor(mode);
    this.#supersede();
    await this.#run(
      runId,
      { type: 'run_started', mode, prompt: text, model: ref, limits, ...(plan && { plan }) },
      { type: 'message_added', message: { role: 'user', content: [{ type: 'text', text }, ...attachments] } },
    );
  }

  /** Goes on with a run that paused or was interrupted, with fresh limits. */
  async resume(): Promise<void> {
    this.#expectIdle();
    const run = this.state.lastRun;
    if (!run || (run.status === 'finished' && run.outcome !== 'failed')) throw new SessionError('There is no paused run to go on with.');
    await this.#run(run.runId, { type: 'run_resumed' });
  }

  /** Ends the live run at once. What it wrote stays, and can be undone. Resolves when the run has ended. */
  async stop(): Promise<void> {
    const live = this.#live;
    if (live) {
      live.controller.abort();
      await live.done;
      return;
    }
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
    const request = this.state.pendingApprovals.get(approvalId);
    if (!request) throw new SessionError('This question was answered already.');
    const { runId, callId, digest, rule } = request;
    // A grant is of edits: a yes to anything else counts once.
    const answer: ApprovalAnswer = given.approve && rule !== 'edit' ? { approve: true } : given;
    this.#emit(runId, { type: 'approval_resolved', approvalId, callId, answer, ...(digest !== undefined && { digest }) });
    if (answer.approve && answer.grant === 'workspace') this.#ports.grantWorkspaceEdits();
    await this.#goOn(runId, approvalId);
  }

  /** Answers a question that a call asked. As for approvals, a run that a reload interrupted goes on, and this resolves when it has ended. */
  async answerQuestion(questionId: string, answer: QuestionAnswer): Promise<void> {
    const asked = this.state.pendingQuestions.get(questionId);
    if (!asked) throw new SessionError('This question was answered already.');
    const { runId, callId } = asked;
    this.#emit(runId, { type: 'question_answered', questionId, callId, answer });
    await this.#goOn(runId, questionId);
  }

  async #goOn(runId: string, questionId: string): Promise<void> {
    const waiting = this.#waiting.get(questionId);
    if (waiting) waiting();
    else if (!this.#live && !waitsForUser(this.state)) await this.#run(runId, { type: 'run_resumed' });
  }

  /** Carries out a proposed plan, as it is or as the user edited it; or drops it. Resolves when its run has ended. */
  async answerPlan(planId: string, answer: 'run' | 'discard', { edited, model }: PlanOptions = {}): Promise<void> {
    this.#expectIdle();
    const known = this.state.plans.get(planId);
    if (!known) throw new SessionError('There is no such plan in this session.');
    // A plan that was confirmed just before a crash, and never began, can be confirmed again.
    const begun = [...this.state.runs.values()].some((run) => run.plan?.id === planId);
    if (known.status === 'discarded' || begun) throw new SessionError(`This plan is ${known.status} already.`);
    const plan = edited ? { ...edited, id: planId } : known.plan;
    const runId = this.state.lastRun?.runId ?? this.#ports.newId();
    this.#emit(runId, { type: 'plan_resolved', planId, answer, ...(answer === 'run' && { plan }) });
    if (answer === 'run') await this.prompt({ text: planPrompt(plan), mode: 'agent', ...(model && { model }) }, plan);
  }

  /** Edits are asked for again, in the run that is live too; where none is, the log says so before anything else happens. */
  revokeGrants(): void {
    this.#revoking = true;
    if (!this.#live) return;
    try {
      this.#revoke();
    } catch {
      // The run ends where its log cannot be written.
    }
  }

  #revoke(): void {
    const { lastRun, runs, sessionEditsGranted } = this.state;
    const granted = sessionEditsGranted || [...runs.values()].some(({ editsGranted }) => editsGranted);
    if (lastRun && granted) this.#publish(lastRun.runId, { type: 'grants_revoked' });
    this.#revoking = false;
  }

  /** Takes back all that a run wrote; refuses file by file where somebody went on working. */
  async undo(runId: string): Promise<void> {
    this.#expectIdle();
    const staged = this.state.staged.filter((entry) => entry.runId === runId).map(({ change, landed }) => ({ ...change, landed }));
    if (staged.length === 0) throw new SessionError('This run changed no file.');
    this.#lock();
    try {
      const results = await this.#ports.gate().undo(staged);
      this.#emit(runId, { type: 'changes_undone', undoneRunId: runId, results });
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
  async #run(runId: string, ...opening: EventBody[]): Promise<void> {
    this.#lock();
    const controller = new AbortController();
    let end = () => {};
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#live = { runId, controller, done };
    try {
      await this.#drive(runId, opening, controller.signal);
      if (!this.#logFailure) this.#log.sync();
    } finally {
      this.#live = undefined;
      this.#log.close();
      this.#log.unlock();
      end();
    }
  }

  async #drive(runId: string, opening: readonly EventBody[], signal: AbortSignal): Promise<void> {
    const emit = (event: EventBody) => this.#emit(runId, event);
    try {
      for (const event of opening) emit(event);
      const run = this.state.runs.get(runId) as RunRecord;
      const built = await abortable(this.#ports.build(run, this), signal);
      if (this.#live) this.#live.adapter = built.adapter;
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
      await runLoop({ ...built, model: run.model, state: this.state, emit, answered, replied, now: this.#ports.now }, signal);
    } catch (error) {
      const run = this.state.runs.get(runId);
      if (!run) throw error;
      const how =
        signal.aborted && !this.#logFailure ? { outcome: 'stopped' as const } : { outcome: 'failed' as const, error: runError(error) };
      this.#publish(runId, { type: 'run_finished', ...how, ...spent(run, this.state), durationMs: 0 });
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
    if (durable && !this.#live) this.#expectNobodyElse();
    const event = { ...body, runId, seq: this.state.seq + (durable ? 1 : 0), at: this.#ports.now() } as AgentEvent;
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
    if (this.#live) this.#live.waiting = event.type === 'model_waiting' ? event : undefined;
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
  }

  #expectNobodyElse(): void {
    if (this.#log.inUse()) throw new SessionError('This session is in use by another window or process.');
  }

  #lock(): void {
    this.#expectNobodyElse();
    this.#log.lock();
  }

  /** A run that is not finished and that nobody waits for any more ends. */
  #supersede(): void {
    const run = this.state.lastRun;
    if (run && run.status !== 'finished')
      this.#emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...spent(run, this.state), durationMs: 0 });
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
