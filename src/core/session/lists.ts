/** The events and the messages of a session, which are read from its log when they are needed. */

import { addressOf, shortenedResult } from '../context/shorten.ts';
import { type List, ReadList } from '../list.ts';
import { callsOf, type Message, type NotePart, orphanResult, type ToolMessage, type ToolResult } from '../model/messages.ts';
import type { AgentEvent } from './events.ts';

/** The facts about an event that are known without reading it. */
export type EventFacts = Pick<AgentEvent, 'type' | 'seq' | 'runId'>;

/** Durable events in log order. */
export interface EventList extends List<AgentEvent> {
  /** Returns the facts about all events. */
  facts(): EventFacts[];
  /** Reads the events with certain facts, beginning at the index `from`. */
  select(keep: (facts: EventFacts) => boolean, from?: number): AgentEvent[];
  /** Returns the index of the last event with certain facts, or -1. No event is read. */
  lastIndex(is: (facts: EventFacts) => boolean): number;
  /** Reads the events of a type, in all runs or in one. */
  ofType<Type extends AgentEvent['type']>(type: Type, runId?: string): Extract<AgentEvent, { type: Type }>[];
}

/** The messages of a session. */
export interface Conversation extends List<Message> {
  /** Returns the role of a message without reading it. */
  roleAt(index: number): Message['role'] | undefined;
  /** Returns the messages that tell the model about rules, memory or surroundings. */
  telling(): Message[];
}

/** Where a message comes from: the number of its `message_added` or, for each result, of its `tool_finished` or how the call was left. */
export type MessageSource = number | readonly (number | 'not_begun' | 'begun')[];

/** The number of the latest messages that stay in memory. */
const KEPT = 32;

/**
 * The conversation of a session. With `read`, which returns the events with these numbers, only the latest messages are kept in memory, and
 * earlier ones are read again.
 */
export class MessageList extends ReadList<Message> implements Conversation {
  readonly #read: ((seqs: readonly number[]) => readonly AgentEvent[]) | undefined;
  readonly #sources: MessageSource[] = [];
  readonly #roles: Message['role'][] = [];
  /** The indices of the messages that tell the model about rules, memory or surroundings. */
  readonly #told: number[] = [];
  /** The latest messages, which begin at the index `#from`. */
  readonly #latest: Message[] = [];
  #from = 0;

  constructor(read?: (seqs: readonly number[]) => readonly AgentEvent[]) {
    super();
    this.#read = read;
  }

  /** Returns an empty list for another conversation in the same log. */
  empty(): MessageList {
    return new MessageList(this.#read);
  }

  get length(): number {
    return this.#sources.length;
  }

  push(message: Message, source: MessageSource): void {
    if (tells(message)) this.#told.push(this.length);
    this.#sources.push(source);
    this.#roles.push(message.role);
    this.#latest.push(message);
    if (!this.#read || this.#latest.length < 2 * KEPT) return;
    this.#latest.splice(0, KEPT);
    this.#from += KEPT;
  }

  roleAt(index: number): Message['role'] | undefined {
    return this.#roles[index];
  }

  telling(): Message[] {
    const isStored = (index: number) => index < this.#from;
    const events = this.#stored(this.#told.filter(isStored).map((index) => this.#sources[index] as MessageSource));
    return this.#told.map((index) => {
      const source = this.#sources[index] as MessageSource;
      const isWhole = isStored(index) && !isCutOff(source);
      return isWhole ? messageOf(source, index, events, undefined) : (this.at(index) as Message);
    });
  }

  protected read(start: number, end: number): readonly Message[] {
    if (!this.#read || start >= this.#from) return this.#latest.slice(start - this.#from, end - this.#from);
    const stored = Math.min(end, this.#from);
    const sources = this.#sources.slice(start, stored);
    // Results are created for calls without a result. This needs the calls, which are in the message before.
    if (sources[0] !== undefined && isCutOff(sources[0])) return this.read(start - 1, end).slice(1);
    const events = this.#stored(sources);
    const messages: Message[] = [];
    for (const [at, source] of sources.entries()) messages.push(messageOf(source, start + at, events, messages.at(-1)));
    return stored < end ? [...messages, ...this.#latest.slice(0, end - this.#from)] : messages;
  }

  /** Reads the events of several messages together, by number. */
  #stored(sources: readonly MessageSource[]): Map<number, AgentEvent> {
    const seqs = sources.flatMap((source) => (typeof source === 'number' ? [source] : source.filter((each) => typeof each === 'number')));
    return new Map((seqs.length > 0 ? this.#read?.(seqs) : undefined)?.map((event) => [event.seq, event]));
  }
}

/** Returns true if the message has results of calls without a result. */
function isCutOff(source: MessageSource): boolean {
  return typeof source === 'object' && source.some((each) => typeof each === 'string');
}

function messageOf(source: MessageSource, index: number, events: ReadonlyMap<number, AgentEvent>, before: Message | undefined): Message {
  if (typeof source === 'number') {
    const event = events.get(source);
    if (event?.type !== 'message_added') throw new Error(`The log has no message with the number ${source}.`);
    return event.message;
  }
  const calls = callsOf(before);
  const content = source.map((each, place): ToolMessage['content'][number] => {
    if (typeof each !== 'number') {
      const call = calls[place];
      if (!call) throw new Error(`The log has no call for the result ${addressOf(index, place)}.`);
      return orphanResult(call, each === 'begun');
    }
    const event = events.get(each);
    if (event?.type !== 'tool_finished') throw new Error(`The log has no result with the number ${each}.`);
    return sentResult(event, index, place);
  });
  return { role: 'tool', content };
}

/** Returns a result as the model receives it in the message at `index`. */
export function sentResult({ result, shown }: Extract<AgentEvent, { type: 'tool_finished' }>, index: number, place: number): ToolResult {
  return shown === undefined ? result : shortenedResult(result, shown, addressOf(index, place));
}

function tells(message: Message): boolean {
  const isTelling = (part: { type: string }) =>
    part.type === 'note' && ((part as NotePart).source !== undefined || (part as NotePart).about === 'surroundings');
  if (message.role === 'assistant') return false;
  return message.role === 'user' ? message.content.some(isTelling) : message.content.some(({ content }) => content.some(isTelling));
}
