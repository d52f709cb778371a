/** A run that is under way: it is built and driven to its end, and can be held, stopped and answered meanwhile. */
import { abortable, wasStopped } from '../../core/abort.ts';
import { Meter, type RunBudget, type SharedBudget } from '../../core/run/budget.ts';
import type { RunPorts, runLoop } from '../../core/run/run.ts';
import { runError } from '../../core/run/run-error.ts';
import { totalsOf } from '../../core/run/usage-totals.ts';
import type { ApprovalAnswer, EventBody, QuestionAnswer } from '../../core/session/events.ts';
import type { ApprovalRequest, RunRecord } from '../../core/session/session-state.ts';
import type { EventLog, LoggedRun } from '../session/event-log.ts';
import type { Pacing } from './pacing.ts';

/** A run as the app builds it. `shrunk` says why its limits are smaller than usual; `shared` counts for all runs of the day. */
export type BuiltRun = Pick<RunPorts, 'adapter' | 'request' | 'tools' | 'decide' | 'alike' | 'blind' | 'price' | 'limits' | 'closing'> & {
  shrunk?: string;
  budget?: RunBudget;
  shared?: SharedBudget;
  loop: typeof runLoop;
};

export type LiveRunPorts = { log: EventLog; build(run: RunRecord): Promise<BuiltRun>; now(): number };

export class LiveRun implements LoggedRun {
  readonly pace: Pacing;
  /** Resolves when the run is over, however it ended. */
  readonly done: Promise<void>;
  readonly #runId: string;
  readonly #ports: LiveRunPorts;
  readonly #controller = new AbortController();
  /** What it waits for, by the id of the question. */
  readonly #questions = new Map<string, () => void>();
  #built: BuiltRun | undefined;
  #resolveDone = () => {};

  constructor(runId: string, pace: Pacing, ports: LiveRunPorts) {
    this.#runId = runId;
    this.pace = pace;
    this.#ports = ports;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
  }

  get canWrite(): boolean | undefined {
    return this.#built?.tools.some(({ effect }) => effect !== 'readonly');
  }

  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  abort(why?: Error): void {
    this.#controller.abort(why);
  }

  /** Where it waits to send a request again, that is sent now. */
  retryNow(): void {
    this.#built?.adapter.retryNow?.();
  }

  /** To be told when the answer is in the state. @returns whether the run waited for it. */
  answered(questionId: string): boolean {
    const goOn = this.#questions.get(questionId);
    goOn?.();
    return goOn !== undefined;
  }

  /** Whoever waits until it is `done` goes on. */
  end(): void {
    this.#resolveDone();
  }

  /** Logs `opening` and all that comes of it. @throws only where its beginning cannot be logged. */
  async drive(opening: Iterable<EventBody>): Promise<void> {
    const { log, now } = this.#ports;
    const runId = this.#runId;
    const { signal } = this.#controller;
    let flushBudget = () => {};
    const emit = (event: EventBody) => log.emit(runId, event);
    try {
      for (const event of opening) emit(event);
      const run = log.state.runs.get(runId) as RunRecord;
      const built = await abortable(this.#ports.build(run), signal);
      this.#built = built;
      if (built.shrunk) emit({ type: 'limits_shrunk', limits: built.limits, reason: built.shrunk });
      const { state } = log;
      const answered = async (id: string, stopped: AbortSignal) => {
        const { callId } = state.pendingApprovals.get(id) as ApprovalRequest;
        await this.#wait(id, stopped);
        return state.approvals.get(callId)?.answer as ApprovalAnswer;
      };
      const replied = async (id: string, stopped: AbortSignal) => {
        await this.#wait(id, stopped);
        return state.questionAnswers.get(id) as QuestionAnswer;
      };
      const meter = new Meter({ ...built.limits, ...built.budget }, now, run.used, run.from, built.shared, built.price !== undefined);
      flushBudget = () => built.shared?.flush(run.status === 'finished');
      const { loop, ...rest } = built;
      await loop({ ...rest, model: run.model, meter, pace: this.pace, state, emit, answered, replied, now }, signal);
    } catch (error) {
      const run = log.state.runs.get(runId);
      if (!run) throw error;
      const how =
        wasStopped(signal) && !log.failed ? { outcome: 'stopped' as const } : { outcome: 'failed' as const, error: runError(error) };
      log.publish(runId, { type: 'run_finished', ...how, ...totalsOf(run, log.state, now()) });
    } finally {
      flushBudget();
    }
    if (!log.failed) log.sync();
  }

  /** Until the user has answered. */
  #wait(questionId: string, signal: AbortSignal): Promise<void> {
    this.#ports.log.sync();
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#questions.delete(questionId);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#questions.set(questionId, () => {
        signal.removeEventListener('abort', stop);
        this.#questions.delete(questionId);
        resolve();
      });
    });
  }
}
