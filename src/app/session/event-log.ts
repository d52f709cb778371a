/** The events of a session, the state that is computed from them, and the listeners. */
import { isChildRun } from '../../core/session/children/child-ids.ts';
import { isElsewhere } from '../../core/session/children/child-state.ts';
import { type AgentEvent, type EventBody, isDurable } from '../../core/session/events.ts';
import { isSamePermission, type Permission } from '../../core/session/grant-scope.ts';
import type { EventList } from '../../core/session/lists.ts';
import { forgetSentMessages, reduce } from '../../core/session/reduce.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import { isValidNext } from '../../core/session/valid-events.ts';
import { endsWait } from '../../core/words/retry-text.ts';
import type { SessionLog } from '../../sessions/store.ts';
import { Listeners } from './listeners.ts';
import { receiptIn } from './log-events.ts';
import { LogState } from './log-state.ts';
import { IN_USE, isFileError, logFailure, readFailure, WENT_ON } from './log-texts.ts';
import { SessionError } from './session-error.ts';

/** The current wait before a request is sent again. */
export type Waiting = Extract<AgentEvent, { type: 'model_waiting' }>;

/** The parts of a run that the event log uses. */
export type LoggedRun = {
  /** Whether the run has a tool that can change something. */
  readonly canWrite: boolean | undefined;
  abort(why?: Error): void;
};

/** The distance between the numbers of events that the log does not contain, because it has failed. */
const UNLOGGED_STEP = 1 / 1024;

export class EventLog {
  readonly #file: SessionLog;
  readonly #logged: LogState;
  readonly #now: () => number;
  readonly listeners = new Listeners();
  #run: LoggedRun | undefined;
  #waiting: Waiting | undefined;
  /** The permissions that are to be revoked in the log, or true for all of them. */
  #revoking: true | readonly Permission[] = [];
  #failure: Error | undefined;
  #closed = false;
  /** Whether events of the log were lost and the log does not show this yet. */
  #isLost = false;
  /** Whether the log has been repaired since it was locked. */
  #isMended = false;

  /** The log of a new session. */
  constructor(file: SessionLog, now: () => number) {
    this.#file = file;
    this.#logged = new LogState(file, now);
    this.#now = now;
  }

  /** Reads a log. @returns undefined if there is no log. @throws NewerLogError if it was written by a newer version */
  static async open(file: SessionLog, now: () => number): Promise<EventLog | undefined> {
    const log = new EventLog(file, now);
    return (await log.#logged.readAll()) ? log : undefined;
  }

  get state(): SessionState {
    return this.#logged.state;
  }

  /** Durable events in log order, which are read when they are needed. The newest may not be written to disk yet. */
  get events(): EventList {
    return this.#logged.events;
  }

  /** A sentence that says how many lines of the log were skipped. A copy of the log is kept. */
  get damage(): string | undefined {
    return this.#logged.damage;
  }

  /** The current wait before a request is sent again, with the remaining time. */
  get waiting(): Waiting | undefined {
    const wait = this.#waiting;
    return wait && { ...wait, waitMs: Math.min(wait.waitMs, Math.max(0, wait.at + wait.waitMs - this.#now())) };
  }

  /** Whether the log can no longer be written. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Emits an event. A durable event is logged before a listener receives it. @throws if the log cannot be written. */
  emit(runId: string, body: EventBody): void {
    // Without a run, the log is read again before the event is written, and the problem may be corrected by then.
    if (isDurable(body) && this.#failure && (this.#run || this.#closed)) throw this.#failure;
    if (isDurable(body)) this.#revoke();
    this.publish(runId, body);
  }

  /** Emits an event. If the log has failed, the state and the listeners still receive the event. */
  publish(runId: string, body: EventBody): void {
    if (this.#closed) return;
    if (isDurable(body) && !this.#run) this.locked(() => this.#publish(runId, body));
    else this.#publish(runId, body);
  }

  /** Calls `work` while the log is locked. @throws SessionError if another window or process holds the lock. */
  locked(work: () => void): void {
    this.lock();
    try {
      work();
    } finally {
      this.unlock();
    }
  }

  #publish(runId: string, body: EventBody): void {
    const durable = isDurable(body);
    if (durable && !this.#failure && !this.#isMended) this.#mend();
    if (durable && this.#isLost) {
      this.#logged.skipLost();
      this.#isLost = false;
    }
    const receipt = body.type === 'run_finished' && !isChildRun(runId) && receiptIn(this.events, runId, this.#run?.canWrite);
    // The next event of the log is also newer than an event that only listeners receive.
    const step = this.#failure ? UNLOGGED_STEP : 1;
    const event = { ...body, ...receipt, runId, seq: this.state.seq + (durable ? step : 0), at: this.#now() } as AgentEvent;
    // Another window may have changed the session, so that the event is no longer valid.
    if (durable && !this.#run && !isValidNext(this.state, event)) throw new SessionError(WENT_ON);
    if (durable) {
      this.#logged.events.add(event, this.#failure ? undefined : this.#append(event));
      reduce(this.#logged.state, event);
    }
    if (event.type === 'model_waiting') this.#waiting = event;
    else if (endsWait(event) && event.runId === this.#waiting?.runId) this.#waiting = undefined;
    this.#tell(event);
  }

  #tell(event: AgentEvent): void {
    this.listeners.tell(event, isElsewhere(this.state, event.runId));
  }

  /** @returns the offset of the event in the log */
  #append(event: AgentEvent): number {
    try {
      const { events, unlogged } = this.#logged;
      if (unlogged) events.moveToLog(events.length - 1, this.#file.append(unlogged));
      this.#logged.unlogged = undefined;
      const offset = this.#file.append(event);
      if (!this.#run) this.#file.close();
      return offset;
    } catch (error) {
      this.#failure = logFailure(error);
      if (!this.#run) this.#closeFile();
      this.#run?.abort(this.#failure);
      throw this.#failure;
    }
  }

  /** Revokes a permission or all permissions, even during a live run. With `later`, this is logged before the next event. */
  revokeGrants(covers?: Permission, later = false): void {
    this.#revoking = this.#revoking === true || !covers ? true : [...this.#revoking, covers];
    try {
      if (!later) this.#revoke();
    } catch {
      // The revocation is logged before the next event. If the log cannot be written, the run ends then.
    }
  }

  #revoke(): void {
    for (const covers of this.#revoking === true ? [undefined] : this.#revoking) {
      const granted = this.state.grants.filter((grant) => !covers || isSamePermission(grant.covers, covers));
      const run = granted.length > 0 && this.state.lastRun;
      if (run) this.publish(run.runId, { type: 'grants_revoked', ...(covers && { covers }) });
      else for (const grant of granted) this.publish('', { type: 'session_grant_revoked', covers: grant.covers });
    }
    this.#revoking = [];
  }

  /**
   * Applies the events that another window or process has added to the log. After a failure, all of it is read again, so that the session can
   * be continued when the problem is corrected. @throws Error if it cannot be read; the next call reads all of it.
   */
  refresh(): void {
    if (this.#run || this.#closed) return;
    try {
      for (const event of this.#logged.readNew(this.failed)) this.#tell(event);
      this.#failure = undefined;
    } catch (error) {
      this.#file.distrust();
      throw readFailure(error);
    }
  }

  /**
   * Locks the log until a matching call of `unlock`. @throws SessionError if another window or process holds the lock. @throws Error that says why
   * the log cannot be locked or read
   */
  lock(): void {
    if (!this.#lockFile()) throw new SessionError(IN_USE);
    try {
      // Another process may have written to the log before this one locked it.
      this.refresh();
      this.#isMended = false;
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  #lockFile(): boolean {
    try {
      return this.#file.lock();
    } catch (error) {
      throw logFailure(error);
    }
  }

  /** Some network drives report only now that events could not be written. The whole log is then read again before the next event. */
  #closeFile(): void {
    try {
      this.#file.close();
    } catch (error) {
      this.#failure ??= logFailure(error);
    }
  }

  /**
   * Repairs the log. If events are missing, a gap in the sequence numbers shows this. After a failure, the log is as it was, and the next event
   * tries again. @throws Error that says why the log cannot be read or written
   */
  #mend(): void {
    try {
      const { isLost, offsets } = this.#file.mend(this.#logged.logged());
      if (offsets) this.#logged.events.relocate(offsets);
      if (isLost) this.#isLost = true;
      this.#isMended = true;
    } catch (error) {
      this.#file.distrust();
      throw isFileError(error) ? logFailure(error) : error;
    }
  }

  unlock(): void {
    this.#file.unlock();
  }

  /** Locks the log for a run, its only writer until `end`. @throws SessionError if another window or process holds the lock. */
  begin(run: LoggedRun): void {
    this.lock();
    this.#run = run;
  }

  end(): void {
    this.#run = undefined;
    this.#waiting = undefined;
    this.#closeFile();
    this.#file.unlock();
    forgetSentMessages(this.state);
  }

  /** Flushes the buffers of the operating system to the disk. */
  sync(): void {
    this.#file.sync();
  }

  /** Stops the live run without logging its end, so that it can be resumed after a reload. */
  close(): void {
    this.#closed = true;
    // No event can be logged after this, so the run is stopped as well.
    this.#failure ??= new SessionError('This session is closed. Open it again to continue.');
    this.#run?.abort();
    this.#closeFile();
    this.#file.unlock();
  }
}
