/** Finds the lines of a log that are events, and the offsets at which they begin. */
import { jsonIn } from '../core/json.ts';
import type { AgentEvent } from '../core/session/events.ts';
import { FIRST_FORMAT, formatNamed, migrated } from '../core/session/log-format.ts';
import { isLogged } from '../core/session/shapes/event-shape.ts';

const NEWLINE = 0x0a;
const MAX_LINE = 256 * 1024 * 1024;
const UNREADABLE = '\0';

/**
 * The part of a log that was read. `end` is the byte offset of its end in the file with this `inode` (repairing a log creates a new file).
 * `damaged` is the number of lines that are not events. `isTorn` means that the last line is incomplete or still being written. `format` is
 * the format of the next events, unless a line names another format.
 */
export type ReadLines = { end: number; inode?: number; damaged: number; isTorn: boolean; format: number; formats: readonly FormatChange[] };

/** The lines from the byte `from` on have this format. */
type FormatChange = { from: number; format: number };

/** Events, and the byte at which the line of each begins. */
export type LoggedLines = { events: AgentEvent[]; offsets: number[] };

/** Receives an event, and the byte at which its line begins. */
export type TakeEvent = (event: AgentEvent, offset: number) => void;

/** Reads every line that is an event, converted to the current format, of a log that arrives in pieces. */
export class LineParser {
  readonly #take: TakeEvent;
  readonly #formats: FormatChange[] = [];
  #format: number;
  #end: number;
  #damaged = 0;

  /**
   * @param format the format of the events before the first piece
   * @param from the place of the first piece in the log
   */
  constructor(take: TakeEvent, format = FIRST_FORMAT, from = 0) {
    this.#take = take;
    this.#format = format;
    this.#end = from;
  }

  /** Reads the complete lines of the next piece. @returns their bytes. The next piece must begin after them. @throws NewerLogError */
  add(bytes: Buffer): number {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (!this.#addLine(bytes, start, end)) this.#damaged++;
      start = end + 1;
    }
    this.#end += start;
    return start;
  }

  /** Reads the last line, which is accepted without a newline if it is complete. @throws NewerLogError */
  finish(bytes: Buffer): ReadLines {
    const isTorn = !this.#addLine(bytes, 0, bytes.length);
    const end = this.#end + (isTorn ? 0 : bytes.length);
    return { end, damaged: this.#damaged, isTorn, format: this.#format, formats: this.#formats };
  }

  /** @returns whether the line is an event, or empty */
  #addLine(bytes: Buffer, start: number, end: number): boolean {
    const written = jsonIn(textOf(bytes, start, end));
    const offset = this.#end + start;
    const named = formatNamed(written) ?? this.#format;
    if (named !== this.#format) this.#formats.push({ from: offset, format: named });
    this.#format = named;
    const event = eventIn(written, named);
    if (!isLogged(event)) return start === end;
    this.#take(event, offset);
    return true;
  }
}

/**
 * Reads the lines of a log that is in memory.
 * @param format the format of the events before these bytes
 * @param from the offset of these bytes in the log
 * @throws NewerLogError if the log was written by a newer version
 */
export function readLines(bytes: Buffer, format = FIRST_FORMAT, from = 0): ReadLines & LoggedLines {
  const events: AgentEvent[] = [];
  const offsets: number[] = [];
  const take: TakeEvent = (event, offset) => {
    events.push(event);
    offsets.push(offset);
  };
  const parser = new LineParser(take, format, from);
  return { events, offsets, ...parser.finish(bytes.subarray(parser.add(bytes))) };
}

/** Converts a line to an event in the current format. The shape of the event is not checked. */
export function eventIn(written: unknown, format: number): unknown {
  const event = migrated(written, format);
  // The format belongs to the line and not to the event, even if the line is damaged. The writer adds it when the event is written again.
  if (typeof event === 'object' && event !== null && 'format' in event) delete event.format;
  return event;
}

/** A line that exceeds the maximum string length is not an event. */
export function textOf(bytes: Buffer, start = 0, end: number = bytes.length): string {
  return end - start < MAX_LINE ? bytes.toString('utf8', start, end) : UNREADABLE;
}
