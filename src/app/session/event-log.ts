/** The events of a session, the state that is computed from them, and the listeners. */
import { type AgentEvent, type EventBody, isDurable } from '../../core/session/events.ts';
import { isSamePermission, type Permission } from '../../core/session/grant-scope.ts';
import { type EventList, MessageList } from '../../core/session/lists.ts';
import { foldSession, forgetSentMessages, reduce, skipLost } from '../../core/session/reduce.ts';
import { emptySession, type MutableSessionState, type SessionState } from '../../core/session/session-state.ts';
import { applyValidEvents, isValidNext } from '../../core/session/valid-events.ts';
import { endsWait } from '../../core/words/retry-text.ts';
import { LoggedEvents } from '../../sessions/event-list.ts';
import type { LoggedLines } from '../../sessions/log-lines.ts';
import type { SessionLog } from '../../sessions/store.ts';
import { Listeners } from './listeners.ts';
import { interruptionOf, receiptIn } from './log-events.ts';
import { damageText, IN_USE, logFailure, readFailure, WENT_ON } from './log-texts.ts';
import { SessionError } from './session-error.ts';

/** The current wait before a request is sent again. */
export type Waiting = Extract<AgentEvent, { type: 'model_waiting' }>;

/** The parts of a run that the event log uses. */
export type LoggedRun = {
  /** Whether the run has a tool that can change something. */
  readonly canWrite: boolean | undefined;
  abort(why?: Error): void;
};

export class EventLog {
  readonly #file: SessionLog;
  readonly #events: LoggedEvents;
  readonly #state: MutableSessionState;
  readonly #now: () => number;
  readonly listeners = new Listeners();
  #run: LoggedRun | undefined;
  #waiting: Waiting | undefined;
  /** The pause event of the last run, if it was interrupted. It is logged with the next event, because reading a session must not change its log. */
  #unlogged: AgentEvent | undefined;
  /** The permissions whose revocation is not logged yet, or true for all permissions. */
  #revoking: true | readonly Permission[] = [];
  #failure: Error | undefined;
  #closed = false;
  #damage: string | undefined;
  /** Whether events were lost and the log does not show this yet. */
  #isLost = false;
  /** Whether the log has been repaired since it was locked. */
  #isMended = false;

  constructor(file: SessionLog, logged: LoggedLines, now: () => number) {
    this.#file = file;
    this.#events = new LoggedEvents(file);
    this.#state = this.#newState();
    this.#now = now;
    this.#takeIn(logged);
    this.#noticeInterruption();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Durable events in log order, which are read when they are needed. The newest may not be written to disk yet. */
  get events(): EventList {
    return this.#events;
  }

  /** A sentence that says how many lines of the log were skipped. A copy of the log is kept. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** The state of a session without events. Its earlier messages are read from the log. */
  #newState(): MutableSessionState {
    return emptySession(new MessageList((seqs) => this.#events.withSeqs(seqs)));
  }

  #takeIn({ events, offsets }: LoggedLines): AgentEvent[] {
    const taken = applyValidEvents(this.#state, events);
    let at = 0;
    for (const event of taken) {
      at = events.indexOf(event, at);
      this.#events.add(event, offsets[at]);
    }
    this.#file.refuse(events.length - taken.length);
    const lines = this.#file.damaged;
    if (lines > 0) this.#damage = damageText(lines, this.#file.keepCopy());
    return taken;
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
    if (isDurable(body) && this.#failure) throw this.#failure;
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
    if (durable && this.#isLost) this.#skipLost();
    const receipt = body.type === 'run_finished' && receiptIn(this.#events, runId, this.#run?.canWrite);
    const event = { ...body, ...receipt, runId, seq: this.state.seq + (durable ? 1 : 0), at: this.#now() } as AgentEvent;
    // Another window may have changed the session, so that the event is no longer valid.
    if (durable && !this.#run && !isValidNext(this.state, event)) throw new SessionError(WENT_ON);
    if (durable) {
      this.#events.add(event, this.#failure ? undefined : this.#append(event));
      reduce(this.#state, event);
    }
    if (event.type === 'model_waiting') this.#waiting = event;
    else if (endsWait(event)) this.#waiting = undefined;
    this.listeners.tell(event);
  }

  /** @returns the offset of the event in the log */
  #append(event: AgentEvent): number {
    try {
      if (this.#unlogged) this.#events.moveToLog(this.#events.length - 1, this.#file.append(this.#unlogged));
      this.#unlogged = undefined;
      const offset = this.#file.append(event);
      if (!this.#run) this.#file.close();
      return offset;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #fail(error: unknown): Error {
    this.#failure = logFailure(error);
    this.#run?.abort(this.#failure);
    return this.#failure;
  }

  /** Revokes one permission or all permissions, even during a live run. With `later`, the revocation is logged before the next event. */
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

  /** Applies the events that another window or process has added to the log. @throws Error if it cannot be read; the next call reads all of it. */
  refresh(): void {
    if (this.#run || this.#closed) return;
    try {
      if (!this.#file.hasInode) this.#events.check();
      this.#readNewEvents();
    } catch (error) {
      this.#file.distrust();
      throw readFailure(error);
    }
  }

  #readNewEvents(): void {
    // New events continue the sequence numbers of the known events.
    const known = this.state.seq - (this.#unlogged ? 1 : 0);
    const { isNewFile, events, offsets } = this.#file.readNewEvents();
    const isMissed = (_: unknown, index: number) => isNewFile || (events[index] as AgentEvent).seq > known;
    const missed = { events: events.filter(isMissed), offsets: offsets.filter(isMissed) };
    if (missed.events.length === 0 && !isNewFile) return;
    if (isNewFile) this.#forget();
    else this.#forgetUnlogged();
    const taken = this.#takeIn(missed).filter(({ seq }) => seq > known);
    if (!this.#file.inUse()) this.#noticeInterruption();
    for (const event of this.#unlogged ? [...taken, this.#unlogged] : taken) this.listeners.tell(event);
  }

  /** Discards all events, because the log was written again by another process or could not be read before. */
  #forget(): void {
    this.#unlogged = undefined;
    this.#events.clear();
    Object.assign(this.#state, this.#newState());
  }

  /** Removes the event that was displayed but not logged, so that logged events can follow. */
  #forgetUnlogged(): void {
    if (!this.#unlogged) return;
    const state = foldSession(this.#logged(), this.#newState());
    this.#unlogged = undefined;
    this.#events.pop();
    Object.assign(this.#state, state);
  }

  /** After a reload, displays the last run as paused if it was in progress and does not wait for an answer. */
  #noticeInterruption(): void {
    this.#unlogged = interruptionOf(this.state, this.#now());
    if (!this.#unlogged) return;
    this.#events.add(this.#unlogged);
    reduce(this.#state, this.#unlogged);
  }

  /** Locks the log until a matching call of `unlock`. @throws SessionError if another window or process holds the lock. */
  lock(): void {
    if (!this.#file.lock()) throw new SessionError(IN_USE);
    try {
      // Another process may have written to the log before this one locked it.
      this.refresh();
      this.#isMended = false;
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  /** Repairs the log. If events are missing, a gap in the sequence numbers shows this. @throws if the log cannot be written. */
  #mend(): void {
    try {
      const { isLost, offsets } = this.#file.mend(this.#logged());
      if (offsets) this.#events.relocate(offsets);
      if (isLost) this.#isLost = true;
      this.#isMended = true;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  *#logged(): Generator<AgentEvent> {
    for (const event of this.#events) if (event !== this.#unlogged) yield event;
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
    forgetSentMessages(this.#state);
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
    this.#file.close();
    this.#file.unlock();
  }
}
