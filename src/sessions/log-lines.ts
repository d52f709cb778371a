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

/**
 * Reads every line that is an event, converted to the current format. The last line is accepted without a newline if it is complete.
 * @param format the format of the events before these bytes
 * @param from the offset of these bytes in the log
 * @throws NewerLogError if the log was written by a newer version
 */
export function readLines(bytes: Buffer, format = FIRST_FORMAT, from = 0): ReadLines & LoggedLines {
  const events: AgentEvent[] = [];
  const offsets: number[] = [];
  const formats: FormatChange[] = [];
  let damaged = 0;
  const take = (start: number, end: number): boolean => {
    const written = jsonIn(textOf(bytes.subarray(start, end)));
    const named = formatNamed(written) ?? format;
    if (named !== format) formats.push({ from: from + start, format: named });
    format = named;
    const event = eventIn(written, format);
    if (!isLogged(event)) return start === end;
    events.push(event);
    offsets.push(from + start);
    return true;
  };
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    if (!take(start, end)) damaged++;
    start = end + 1;
  }
  const isTorn = !take(start, bytes.length);
  return { events, offsets, end: from + (isTorn ? start : bytes.length), damaged, isTorn, format, formats };
}

/** Converts a line to an event in the current format. The shape of the event is not checked. */
export function eventIn(written: unknown, format: number): unknown {
  const event = migrated(written, format);
  // The format belongs to the line and not to the event, even if the line is damaged. The writer adds it when the event is written again.
  if (typeof event === 'object' && event !== null && 'format' in event) delete event.format;
  return event;
}

/** A line that exceeds the maximum string length is not an event. */
export function textOf(bytes: Buffer): string {
  return bytes.length < MAX_LINE ? bytes.toString('utf8') : UNREADABLE;
}
