/** A run in progress. It is built and executed, and until it ends it can be paused, stopped and answered. */
import { abortable, wasStopped } from '../../core/abort.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import { runError } from '../../core/run/run-error.ts';
import { isElsewhere } from '../../core/session/children/child-state.ts';
import type { ApprovalAnswer, EventBody, QuestionAnswer } from '../../core/session/events.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { ApprovalRequest, RunRecord, SessionState } from '../../core/session/session-state.ts';
import { totalsOf } from '../../core/session/usage-totals.ts';
import type { RunContext } from '../context/run-context.ts';
import type { CompactionEnd } from '../session/compaction.ts';
import type { EventLog, LoggedRun } from '../session/event-log.ts';
import { isEmpty, lostOpening } from '../session/prompt.ts';
import type { Work } from '../work.ts';
import type { Pacing } from './pacing.ts';
import type { HooksOfRun, RunScope } from './run-scope.ts';

type Beginning = Pick<RunScope, 'sessionId'> & { runId: string; pace: Pacing };

export class LiveRun implements LoggedRun, RunScope {
  readonly sessionId: string;
  readonly pace: Pacing;
  readonly now: () => number;
  context: RunContext | undefined;
  hooks: HooksOfRun | undefined;
  /** Resolves when the run has ended, regardless of its outcome. */
  readonly done: Promise<void>;
  readonly #runId: string;
  readonly #log: EventLog;
  readonly #controller = new AbortController();
  /** Functions that end a wait for the user, by the id of the approval or question. */
  readonly #waits = new Map<string, () => void>();
  #ports: RunPorts | undefined;
  #isPrepared = false;
  #compaction: string | undefined;
  #resolveDone = () => {};

  constructor({ sessionId, runId, pace }: Beginning, log: EventLog, now: () => number) {
    this.sessionId = sessionId;
    this.#runId = runId;
    this.pace = pace;
    this.#log = log;
    this.now = now;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
  }

  get state(): SessionState {
    return this.#log.state;
  }

  get events(): EventList {
    return this.#log.events;
  }

  get canWrite(): boolean | undefined {
    return this.#ports?.tools.some(({ effect }) => effect !== 'readonly');
  }

  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(why?: Error): void {
    this.#controller.abort(why);
  }

  /** Ends the wait before a request is sent again, so that it is sent now. */
  retryNow(): void {
    this.#ports?.adapter.retryNow?.();
  }

  /** Compacts the conversation before the next turn of the model. `words` describes the content that the user wants to keep. */
  compactNext(words: string): void {
    this.#compaction = words;
  }

  readonly compactionAsked = (): string | undefined => {
    const words = this.#compaction;
    this.#compaction = undefined;
    return words;
  };

  readonly emit = (event: EventBody): void => {
    this.#log.emit(this.#runId, event);
    this.hooks?.observe(event);
  };

  readonly child: RunScope['child'] = (runId) => {
    const { sessionId, pace, now, answered, replied, child, events, aborted, signal, state } = this;
    const hooks = this.hooks?.forChild(isElsewhere(state, runId));
    const emit = (event: EventBody) => {
      if (event.type !== 'run_started' && !this.state.children.has(runId)) throw new Error('The run has ended.');
      this.#log.emit(runId, event);
      if (event.type !== 'run_finished') hooks?.observe(event);
    };
    return {
      sessionId,
      pace,
      now,
      answered,
      replied,
      child,
      events,
      aborted,
      signal,
      hooks,
      emit,
      state: state.children.get(runId) ?? state,
    };
  };

  readonly answered = async (approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> => {
    const { callId } = this.state.pendingApprovals.get(approvalId) as ApprovalRequest;
    await this.#userAnswers(approvalId, signal);
    return this.state.approvals.get(callId)?.answer as ApprovalAnswer;
  };

  readonly replied = async (questionId: string, signal: AbortSignal): Promise<QuestionAnswer> => {
    await this.#userAnswers(questionId, signal);
    return this.state.questionAnswers.get(questionId) as QuestionAnswer;
  };

  /** Ends the wait for an answer that the state already contains. @returns whether the run was waiting for it */
  goOn(questionId: string): boolean {
    const endWait = this.#waits.get(questionId);
    endWait?.();
    return endWait !== undefined;
  }

  /** Resolves `done`. */
  end(): void {
    this.#resolveDone();
  }

  /** Logs `opening`, builds the run and executes it until it ends. @throws only if `opening` cannot be logged. */
  async drive(opening: Iterable<EventBody>, work: Work): Promise<void> {
    const log = this.#log;
    const { signal } = this.#controller;
    let closing: Promise<void> | undefined;
    try {
      for (const event of opening) {
        this.emit(this.context?.added(event) ?? event);
        // The run is already logged and can be stopped. The next event is computed after the wait, because the user can edit and remove
        // queued messages until then.
        await this.#readContext(work);
      }
      const run = this.state.runs.get(this.#runId) as RunRecord;
      for (const lost of lostOpening(run, this.state)) this.emit(this.context?.added(lost) ?? lost);
      // The user removed the queued messages that the run was started for.
      if (isEmpty(run, this.state)) this.abort();
      const { ports, loop } = await abortable(work.build(run, this), signal);
      this.#ports = ports;
      await loop(ports, signal);
    } catch (error) {
      const run = this.state.runs.get(this.#runId);
      if (!run) throw error;
      const how =
        wasStopped(signal) && !log.failed ? { outcome: 'stopped' as const } : { outcome: 'failed' as const, error: runError(error) };
      const finished = { type: 'run_finished', ...how, ...totalsOf(run, this.state, this.now()) } as const;
      log.publish(this.#runId, finished);
      this.hooks?.observe(finished);
    } finally {
      this.#ports?.meter.flush(this.state.runs.get(this.#runId)?.status === 'finished');
      closing = this.#ports?.close?.();
    }
    if (!log.failed) log.sync();
    await closing;
  }

  /** Compacts the conversation of a run that is not in progress. */
  async compact(words: string, work: Work): Promise<CompactionEnd> {
    const { signal } = this.#controller;
    try {
      const { ports, compact } = await abortable(work.build(this.state.runs.get(this.#runId) as RunRecord, this), signal);
      this.#ports = ports;
      return (await compact(ports, words, signal)) ? 'compacted' : 'impossible';
    } catch (error) {
      if (wasStopped(signal) && !this.#log.failed) return 'stopped';
      throw error;
    } finally {
      this.#ports?.meter.flush(true);
    }
  }

  /**
   * Reads what belongs to the run besides the conversation. A failure to read the context is ignored here, because building the run reports it.
   * After a stop, the user's message is logged without notes. @throws Error if the hooks cannot be read, or deny the prompt
   */
  async #readContext(work: Work): Promise<void> {
    const run = this.state.runs.get(this.#runId);
    if (!run || this.#isPrepared) return;
    this.#isPrepared = true;
    const { signal } = this.#controller;
    if (!run.applies) this.context = await abortable(work.context(run, this), signal).catch(() => undefined);
    // After a stop, the user's message is logged without the output of hooks.
    const hooked = await abortable(work.hooks(run, this), signal).catch((error) => (signal.aborted ? undefined : Promise.reject(error)));
    this.hooks = hooked?.hooks;
    if (hooked?.context) this.context = hooked.context;
  }

  /** Resolves when the user has answered the approval or question. */
  #userAnswers(questionId: string, signal: AbortSignal): Promise<void> {
    this.#log.sync();
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waits.delete(questionId);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#waits.set(questionId, () => {
        signal.removeEventListener('abort', stop);
        this.#waits.delete(questionId);
        resolve();
      });
    });
  }
}
