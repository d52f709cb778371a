/** What happened in a session: its events, the state that they come to, and who listens. */

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

/** What the log needs of the run that writes it. */
export type LoggedRun = {
  /** Whether it was built with any tool that can change something. */
  readonly canWrite: boolean | undefined;
  abort(why?: Error): void;
};

export class EventLog {
  readonly #state: MutableSessionState = emptySession();
  /** All durable events, as they are in the log; the last may only be about to be. */
  readonly events: AgentEvent[] = [];
  readonly #file: SessionLog;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  #run: LoggedRun | undefined;
  #waiting: Waiting | undefined;
  /** That the last run was interrupted, as long as nothing else happened: to look at a session writes nothing. */
  #unlogged: AgentEvent | undefined;
  /** Grants that the log still holds are to be taken back. */
  #revoking: boolean | Permission = false;
  #failure: Error | undefined;
  #closed = false;
  #damage: string | undefined;
  /** Something of the log is lost, and the log does not say so yet. */
  #isLost = false;
  /** Since it was locked. */
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

  /** Says in one sentence which lines of the log were left out. A copy of the log is kept. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** All durable events as hosts show them. */
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

  /** Calls `listener` with every event from now on, deltas too. Returns how to end that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The wait that the run is in, with the time that is left of it. */
  get waiting(): Waiting | undefined {
    const wait = this.#waiting;
    return wait && { ...wait, waitMs: Math.max(0, wait.at + wait.waitMs - this.#now()) };
  }

  /** It cannot be written any more. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Durable first: nobody sees an event that the log does not hold. @throws where it cannot be written. */
  emit(runId: string, body: EventBody): void {
    if (isDurable(body) && this.#failure) throw this.#failure;
    if (isDurable(body) && this.#revoking) this.#revoke();
    this.publish(runId, body);
  }

  /** As `emit`; where the log has failed, the state and the listeners still hear of it. */
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
    // Another window may have changed the session so that the event no longer fits.
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
        // Whoever cannot show an event does not stop the run, nor keep it from the others.
        console.error(error);
      }
    }
  }

  /** What was granted counts no more, for the run that is live too; where none is, the log says so before anything else happens. */
  revokeGrants(covers?: Permission): void {
    // Where two things are taken back before the log hears of either, all is.
    this.#revoking = this.#revoking || !covers ? true : covers;
    if (!this.#run) return;
    try {
      this.#revoke();
    } catch {
      // The run ends where its log cannot be written.
    }
  }

  #revoke(): void {
    const { lastRun, grants } = this.state;
    const covers = this.#revoking === true ? undefined : this.#revoking;
    const granted = grants.some((grant) => !covers || isSamePermission(grant.covers, covers));
    if (lastRun && granted) this.publish(lastRun.runId, { type: 'grants_revoked', ...(covers && { covers }) });
    this.#revoking = false;
  }

  /** Takes in what another window or process has done in this session since: it goes on from there, and numbers events from there. */
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

  /** Removes the event that was only shown, so that logged events can follow. */
  #forgetUnlogged(): void {
    if (!this.#unlogged) return;
    this.#unlogged = undefined;
    this.events.pop();
    Object.assign(this.#state, foldSession(this.events));
  }

  /** After a reload: a run that was under way and does not wait for an answer is shown as paused, and can be resumed. */
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

  /** Keeps other windows and processes from it, until `unlock` was called as often. @throws SessionError where one has it. */
  lock(): void {
    if (!this.#file.lock()) throw new SessionError(IN_USE);
    try {
      // Between the last look and the lock another process may have written.
      this.refresh();
      this.#isMended = false;
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  /**
   * Right before the first event that follows: a log that was mended says only by the number of that event that something is missing.
   * @throws where it cannot be written
   */
  #mend(): void {
    const logged = this.#unlogged ? this.events.slice(0, -1) : this.events;
    try {
      if (this.#file.mend(logged)) this.#isLost = true;
      this.#isMended = true;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** A lost event keeps its number, so that every later reader of the log knows that something is missing there. */
  #skipLost(): void {
    this.#isLost = false;
    this.#forgetUnlogged();
    skipLost(this.#state);
    this.#noticeInterruption();
  }

  unlock(): void {
    this.#file.unlock();
  }

  /** Locks it for a run, which alone writes it until `end`. @throws SessionError where another window or process has it. */
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

  /** Brings to the disk what the operating system has of it. */
  sync(): void {
    this.#file.sync();
  }

  /** Ends a live run without a word in the log, which so still says that it is to be gone on with. */
  close(): void {
    this.#closed = true;
    // From here on nothing can be recorded, so nothing may be done either.
    this.#failure ??= new SessionError('This session is closed. Open it again to continue.');
    this.#run?.abort();
    this.#file.close();
    this.#file.unlock();
  }
}

function logFailure(error: unknown): Error {
  return new Error(`The session's log cannot be written, so the run was stopped: ${fileFailure(error)}`);
}

function damageText(lines: number, copy: string | undefined): string {
  const what =
    lines === 1
      ? '1 line of this session’s log is damaged and was left out.'
      : `${lines} lines of this session’s log were left out: they are damaged, or depend on damaged lines.`;
  return `${what}${copy ? ` A copy of the whole log is in ${copy}.` : ''}`;
}
