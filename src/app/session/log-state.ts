/** The events of a log, and the state that is computed from them. */
import type { AgentEvent } from '../../core/session/events.ts';
import { MessageList } from '../../core/session/lists.ts';
import { foldSession, reduce, skipLost } from '../../core/session/reduce.ts';
import { emptySession, type MutableSessionState } from '../../core/session/session-state.ts';
import { applyIfValid, applyValidEvents } from '../../core/session/valid-events.ts';
import { LoggedEvents } from '../../sessions/event-list.ts';
import type { LoggedLines } from '../../sessions/log-lines.ts';
import type { SessionLog } from '../../sessions/store.ts';
import { interruptionOf } from './log-events.ts';
import { damageText, readFailure } from './log-texts.ts';

export class LogState {
  readonly events: LoggedEvents;
  readonly state: MutableSessionState;
  /** The pause event of the last run, if it was interrupted. It is logged with the next event, because reading a session must not change its log. */
  unlogged: AgentEvent | undefined;
  /** A sentence that says how many lines of the log were skipped. */
  damage: string | undefined;
  readonly #file: SessionLog;
  readonly #now: () => number;

  constructor(file: SessionLog, now: () => number) {
    this.#file = file;
    this.#now = now;
    this.events = new LoggedEvents(file);
    this.state = this.#newState();
  }

  /** The state of a session without events. Its earlier messages are read from the log. */
  #newState(): MutableSessionState {
    return emptySession(new MessageList((seqs) => this.events.withSeqs(seqs)));
  }

  /**
   * Reads the whole log. The events are applied while they are read, so that they are not all in memory. They are needed at once only if their
   * numbers do not rise.
   * @returns false if there is no log
   * @throws NewerLogError if the log was written by a newer version
   */
  async readAll(): Promise<boolean> {
    let newest = 0;
    let rises = true;
    let invalid = 0;
    const isThere = await this.#file.readAll((event, offset) => {
      rises &&= event.seq > newest;
      newest = event.seq;
      if (rises && applyIfValid(this.state, event)) this.events.add(event, offset);
      else invalid++;
    });
    if (!isThere) return false;
    if (rises) this.#noteDamage(invalid);
    else await this.#readUnordered();
    this.noticeInterruption();
    return true;
  }

  async #readUnordered(): Promise<void> {
    const logged: LoggedLines = { events: [], offsets: [] };
    await this.#file.readAll((event, offset) => {
      logged.events.push(event);
      logged.offsets.push(offset);
    });
    this.#forget();
    this.#takeIn(logged);
  }

  /**
   * Applies the events that another window or process has added to the log. With `again`, the whole log is read, and what is only in memory is
   * forgotten.
   * @returns the events that were not known
   */
  readNew(again: boolean): AgentEvent[] {
    if (again) this.#file.distrust();
    else if (!this.#file.hasInode) this.events.check();
    // New events continue the sequence numbers of those that are known.
    const known = this.state.seq - (this.unlogged ? 1 : 0);
    const { isNewFile, events, offsets } = this.#file.readNewEvents();
    const isAll = again || isNewFile;
    const isMissed = (_: unknown, index: number) => isAll || (events[index] as AgentEvent).seq > known;
    const missed = { events: events.filter(isMissed), offsets: offsets.filter(isMissed) };
    if (missed.events.length === 0 && !isAll) return [];
    if (isAll) this.#forget();
    else this.forgetUnlogged();
    const taken = this.#takeIn(missed).filter(({ seq }) => seq > known);
    if (!this.#file.inUse()) this.noticeInterruption();
    // After a failure, its message stays in view.
    return this.unlogged && !again ? [...taken, this.unlogged] : taken;
  }

  #takeIn({ events, offsets }: LoggedLines): AgentEvent[] {
    const taken = applyValidEvents(this.state, events);
    let at = 0;
    for (const event of taken) {
      at = events.indexOf(event, at);
      this.events.add(event, offsets[at]);
    }
    this.#noteDamage(events.length - taken.length);
    return taken;
  }

  /** @param invalid the number of events that cannot follow the events before them */
  #noteDamage(invalid: number): void {
    this.#file.refuse(invalid);
    const lines = this.#file.damaged;
    if (lines > 0) this.damage = damageText(lines, this.#file.keepCopy());
  }

  /** Forgets all events, because the log was written again by another process or could not be read or written before. */
  #forget(): void {
    this.unlogged = undefined;
    this.events.clear();
    Object.assign(this.state, this.#newState());
  }

  /** Removes the event that was displayed but not logged, so that logged events can follow. */
  forgetUnlogged(): void {
    if (!this.unlogged) return;
    const state = foldSession(this.logged(), this.#newState());
    this.unlogged = undefined;
    this.events.pop();
    Object.assign(this.state, state);
  }

  /** After a reload, displays the last run as paused if it was in progress and does not wait for an answer. */
  noticeInterruption(): void {
    this.unlogged = interruptionOf(this.state, this.#now());
    if (!this.unlogged) return;
    this.events.add(this.unlogged);
    reduce(this.state, this.unlogged);
  }

  /** Skips the sequence number of a lost event, so that every later reader of the log knows that an event is missing. */
  skipLost(): void {
    this.forgetUnlogged();
    skipLost(this.state);
    this.noticeInterruption();
  }

  /** @throws Error that says why the log cannot be read */
  *logged(): Generator<AgentEvent> {
    try {
      for (const event of this.events) if (event !== this.unlogged) yield event;
    } catch (error) {
      throw readFailure(error);
    }
  }
}
