/** The events of a session. Events in the log are read when they are needed, and only their offsets are kept in memory. */
import { ReadList } from '../core/list.ts';
import type { AgentEvent } from '../core/session/events.ts';
import type { EventFacts, EventList } from '../core/session/lists.ts';
import type { SessionLog } from './session-log.ts';

/** The offset of an event that is not in the log. */
const NOWHERE = -1;

export class LoggedEvents extends ReadList<AgentEvent> implements EventList {
  readonly #log: Pick<SessionLog, 'read' | 'endReading' | 'distrust'>;
  readonly #seqs: number[] = [];
  /** The byte at which the line of each event begins. */
  readonly #offsets: number[] = [];
  /** For each event, the indices of its type and of its run. */
  readonly #types: number[] = [];
  readonly #runs: number[] = [];
  readonly #typeNames = new Names<AgentEvent['type']>();
  readonly #runIds = new Names<string>();
  /** The events that are not in the log, by index. */
  readonly #unlogged = new Map<number, AgentEvent>();

  constructor(log: Pick<SessionLog, 'read' | 'endReading' | 'distrust'>) {
    super();
    this.#log = log;
  }

  get length(): number {
    return this.#seqs.length;
  }

  /** Adds an event. Without the `offset` of its line, it is kept in memory. */
  add(event: AgentEvent, offset?: number): void {
    if (offset === undefined) this.#unlogged.set(this.length, event);
    this.#seqs.push(event.seq);
    this.#offsets.push(offset ?? NOWHERE);
    this.#types.push(this.#typeNames.indexOf(event.type));
    this.#runs.push(this.#runIds.indexOf(event.runId));
  }

  /** Removes the newest event. */
  pop(): void {
    this.#unlogged.delete(this.length - 1);
    for (const column of [this.#seqs, this.#offsets, this.#types, this.#runs]) column.pop();
  }

  /** Records the offset of an event that was only in memory until now. */
  moveToLog(index: number, offset: number): void {
    this.#unlogged.delete(index);
    this.#offsets[index] = offset;
  }

  /** Records the offsets of the events, by number, after the log was rewritten. */
  relocate(offsets: ReadonlyMap<number, number>): void {
    for (const [index, seq] of this.#seqs.entries()) if (!this.#unlogged.has(index)) this.#offsets[index] = offsets.get(seq) ?? NOWHERE;
  }

  clear(): void {
    this.#unlogged.clear();
    for (const column of [this.#seqs, this.#offsets, this.#types, this.#runs]) column.length = 0;
  }

  /** Stops using the log if its newest event is no longer at the recorded offset. */
  check(): void {
    const newest = this.#offsets.findLastIndex((offset) => offset !== NOWHERE);
    try {
      if (newest >= 0) this.#readAll([newest]);
    } catch {
      // If the log cannot be read at all, the next read of new events reports this.
    }
  }

  facts(): EventFacts[] {
    return this.#seqs.map((_, index) => this.#factsAt(index));
  }

  select(keep: (facts: EventFacts) => boolean, from = 0): AgentEvent[] {
    const indices: number[] = [];
    for (let index = from; index < this.length; index++) if (keep(this.#factsAt(index))) indices.push(index);
    return this.#readAll(indices);
  }

  lastIndex(is: (facts: EventFacts) => boolean): number {
    let index = this.length - 1;
    while (index >= 0 && !is(this.#factsAt(index))) index--;
    return index;
  }

  ofType<Type extends AgentEvent['type']>(type: Type, runId?: string): Extract<AgentEvent, { type: Type }>[] {
    const events = this.select((facts) => facts.type === type && (runId === undefined || facts.runId === runId));
    return events as Extract<AgentEvent, { type: Type }>[];
  }

  /** Returns the events with these numbers, which must be in ascending order. */
  withSeqs(seqs: readonly number[]): AgentEvent[] {
    return this.#readAll(seqs.map((seq) => this.#indexOf(seq)));
  }

  protected read(start: number, end: number): readonly AgentEvent[] {
    return this.#readAll(Array.from({ length: end - start }, (_, at) => start + at));
  }

  #factsAt(index: number): EventFacts {
    return {
      seq: this.#seqs[index] as number,
      type: this.#typeNames.at(this.#types[index] as number),
      runId: this.#runIds.at(this.#runs[index] as number),
    };
  }

  /** The numbers are in ascending order, but there can be gaps. */
  #indexOf(seq: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#seqs[middle] as number) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** After a failed read, the file is closed, so the next read opens the current file. */
  #readAll(indices: readonly number[]): AgentEvent[] {
    try {
      return indices.map((index) => this.#read(index));
    } finally {
      this.#log.endReading();
    }
  }

  #read(index: number): AgentEvent {
    const inMemory = this.#unlogged.get(index);
    if (inMemory) return inMemory;
    const event = this.#log.read(this.#offsets[index] ?? NOWHERE);
    if (event?.seq === this.#seqs[index]) return event as AgentEvent;
    this.#log.distrust();
    throw new Error('The log of this session was changed by another program. Open the session again.');
  }
}

/** A set of names that stores each name once and refers to it by its index. */
class Names<Name extends string> {
  readonly #names: Name[] = [];
  readonly #indices = new Map<Name, number>();

  indexOf(name: Name): number {
    const known = this.#indices.get(name);
    if (known !== undefined) return known;
    this.#indices.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }

  at(index: number): Name {
    return this.#names[index] as Name;
  }
}
