/** The events of a session, the state that is computed from them, and the listeners. */

import { fileFailure } from '../../core/file-failure.ts';
import { type AgentEvent, type EventBody, isDurable } from '../../core/session/events.ts';
import { isSamePermission, type Permission } from '../../core/session/grant-scope.ts';
import { foldSession, reduce, skipLost } from '../../core/session/reduce.ts';
import { emptySession, type MutableSessionState, type SessionState, waitsForUser } from '../../core/session/session-state.ts';
import { applyValidEvents, isValidNext } from '../../core/session/valid-events.ts';
import { receiptOf } from '../../core/view/run-receipt.ts';
import { Projection, runIn, type SessionView } from '../../core/view/session-view.ts';
import { endsWait } from '../../core/words/retry-text.ts';
import type { SessionLog } from '../../sessions/store.ts';
import { SessionError } from './session-error.ts';

const IN_USE = 'This session is in use in another window or process. Close it there, or start a new session.';
const WENT_ON = 'This session was changed in another window or process. Review the changes and try again.';

export type Listener = (event: AgentEvent) => void;

/** The wait before a request is sent again. */
export type Waiting = Extract<AgentEvent, { type: 'model_waiting' }>;

/** The parts of a run that its log uses. */
export type LoggedRun = {
  /** Whether the run has a tool that can change something. */
  readonly canWrite: boolean | undefined;
  abort(why?: Error): void;
};

export class EventLog {
  readonly #state: MutableSessionState = emptySession();
  /** Durable events in log order. The newest may not be written to disk yet. */
  readonly events: AgentEvent[] = [];
  readonly #file: SessionLog;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  #run: LoggedRun | undefined;
  #waiting: Waiting | undefined;
  /** The pause event of the last run, if it was interrupted. It is logged with the next event, because reading a session must not change its log. */
  #unlogged: AgentEvent | undefined;
  /** The permission that is to be revoked in the log, or true for all permissions. */
  #revoking: boolean | Permission = false;
  #failure: Error | undefined;
  #closed = false;
  #damage: string | undefined;
  /** Whether events of the log were lost and the log does not show this yet. */
  #isLost = false;
  /** Whether the log was repaired since it was locked. */
  #isMended = false;
  readonly #projection = new Projection(this.events);

  constructor(file: SessionLog, events: readonly AgentEvent[], now: () => number) {
    this.#file = file;
    this.#now = now;
    this.#takeIn(events);
    this.#noticeInterruption();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** A sentence that says how many lines of the log were skipped. A copy of the log is kept. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** The view of the session that hosts display. */
  get view(): SessionView {
    return this.#projection.view;
  }

  #takeIn(logged: readonly AgentEvent[]): AgentEvent[] {
    const taken = applyValidEvents(this.#state, logged);
    for (const event of taken) this.events.push(event);
    this.#file.refuse(logged.length - taken.length);
    const lines = this.#file.damaged;
    if (lines > 0) this.#damage = damageText(lines, this.#file.keepCopy());
    return taken;
  }

  /** Calls `listener` for every further event, including deltas. Returns a function that removes the listener. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The current wait before a request is sent again, with the remaining time. */
  get waiting(): Waiting | undefined {
    const wait = this.#waiting;
    return wait && { ...wait, waitMs: Math.max(0, wait.at + wait.waitMs - this.#now()) };
  }

  /** Whether the log can no longer be written. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Emits an event. A durable event is logged before a listener receives it. @throws if the log cannot be written. */
  emit(runId: string, body: EventBody): void {
    if (isDurable(body) && this.#failure) throw this.#failure;
    if (isDurable(body) && this.#revoking) this.#revoke();
    this.publish(runId, body);
  }

  /** Emits an event. If the log has failed, the state and the listeners still receive the event. */
  publish(runId: string, body: EventBody): void {
    if (this.#closed) return;
    const needsLock = isDurable(body) && !this.#run;
    if (needsLock) this.lock();
    try {
      this.#publish(runId, body);
    } finally {
      if (needsLock) this.unlock();
    }
  }

  #publish(runId: string, body: EventBody): void {
    const durable = isDurable(body);
    if (durable && !this.#failure && !this.#isMended) this.#mend();
    if (durable && this.#isLost) this.#skipLost();
    const receipt = body.type === 'run_finished' && { receipt: receiptOf(runIn(this.view, runId), this.#run?.canWrite) };
    const event = { ...body, ...receipt, runId, seq: this.state.seq + (durable ? 1 : 0), at: this.#now() } as AgentEvent;
    // Another window may have changed the session, so that the event is no longer valid.
    if (durable && !this.#run && !isValidNext(this.state, event)) throw new SessionError(WENT_ON);
    if (durable && !this.#failure) this.#append(event);
    if (durable) {
      this.events.push(event);
      reduce(this.#state, event);
    }
    if (event.type === 'model_waiting') this.#waiting = event;
    else if (endsWait(event)) this.#waiting = undefined;
    this.#tell(event);
  }

  #append(event: AgentEvent): void {
    try {
      if (this.#unlogged) this.#file.append(this.#unlogged);
      this.#unlogged = undefined;
      this.#file.append(event);
      if (!this.#run) this.#file.close();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #fail(error: unknown): Error {
    this.#failure = logFailure(error);
    this.#run?.abort(this.#failure);
    return this.#failure;
  }

  #tell(event: AgentEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // A listener that fails must not stop the run or prevent other listeners from receiving the event.
        console.error(error);
      }
    }
  }

  /** Revokes a permission or all permissions, also for the live run. Without a live run, this is logged before the next event. */
  revokeGrants(covers?: Permission): void {
    // If several permissions are revoked before this is logged, all permissions are revoked.
    this.#revoking = this.#revoking || !covers ? true : covers;
    if (!this.#run) return;
    try {
      this.#revoke();
    } catch {
      // A run ends when its log cannot be written.
    }
  }

  #revoke(): void {
    const { lastRun, grants } = this.state;
    const covers = this.#revoking === true ? undefined : this.#revoking;
    const granted = grants.some((grant) => !covers || isSamePermission(grant.covers, covers));
    if (lastRun && granted) this.publish(lastRun.runId, { type: 'grants_revoked', ...(covers && { covers }) });
    this.#revoking = false;
  }

  /** Applies the events that another window or process has added to the log. New events continue their sequence numbers. */
  refresh(): void {
    if (this.#run || this.#closed) return;
    const shown = this.#unlogged ? 1 : 0;
    const missed = this.#file.readNewEvents().filter(({ seq }) => seq > this.state.seq - shown);
    if (missed.length === 0) return;
    this.#forgetUnlogged();
    const taken = this.#takeIn(missed);
    if (!this.#file.inUse()) this.#noticeInterruption();
    for (const event of this.#unlogged ? [...taken, this.#unlogged] : taken) this.#tell(event);
  }

  /** Removes the event that was displayed but not logged, so that logged events can follow. */
  #forgetUnlogged(): void {
    if (!this.#unlogged) return;
    this.#unlogged = undefined;
    this.events.pop();
    Object.assign(this.#state, foldSession(this.events));
  }

  /** After a reload, displays the last run as paused if it was in progress and does not wait for an answer. */
  #noticeInterruption(): void {
    const run = this.state.lastRun;
    if (run?.status !== 'live' || waitsForUser(this.state)) return;
    this.#unlogged = {
      type: 'run_paused',
      reason: 'interrupted',
      summary: 'The run was interrupted. You can continue it where it stopped.',
      runId: run.runId,
      seq: this.state.seq + 1,
      at: this.#now(),
    };
    this.events.push(this.#unlogged);
    reduce(this.#state, this.#unlogged);
  }

  /** Locks the log until a matching call of `unlock`. @throws SessionError if another window or process holds the lock. */
  lock(): void {
    if (!this.#file.lock()) throw new SessionError(IN_USE);
    try {
      // Another process may have written to the log before it was locked.
      this.refresh();
      this.#isMended = false;
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  /** Repairs the log. If events are missing, a gap in the sequence numbers shows this. @throws if the log cannot be written. */
  #mend(): void {
    const logged = this.#unlogged ? this.events.slice(0, -1) : this.events;
    try {
      if (this.#file.mend(logged)) this.#isLost = true;
      this.#isMended = true;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Skips the sequence number of a lost event, so that every later reader of the log knows that an event is missing. */
  #skipLost(): void {
    this.#isLost = false;
    this.#forgetUnlogged();
    skipLost(this.#state);
    this.#noticeInterruption();
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
    this.#file.close();
    this.#file.unlock();
  }

  /** Writes to the disk what the operating system has buffered. */
  sync(): void {
    this.#file.sync();
  }

  /** Stops the live run without logging its end, so that it can be resumed after a reload. */
  close(): void {
    this.#closed = true;
    // Nothing can be logged after this, so nothing must be done, either.
    this.#failure ??= new SessionError('This session is closed. Open it again to continue.');
    this.#run?.abort();
    this.#file.close();
    this.#file.unlock();
  }
}

function logFailure(error: unknown): Error {
  const reason = fileFailure(error).replace(/\.?$/, '.');
  return new Error(`The session's log cannot be written, so the run was stopped: ${reason} Correct the problem and try again.`);
}

function damageText(lines: number, copy: string | undefined): string {
  const what =
    lines === 1
      ? '1 line of this session’s log is damaged and was skipped.'
      : `${lines} lines of this session’s log were skipped, because they are damaged or depend on damaged lines.`;
  return `${what}${copy ? ` A copy of the complete log is in ${copy}.` : ''}`;
}
