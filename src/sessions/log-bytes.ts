/** Reads parts of log files, and writes and copies logs. */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import type { AgentEvent } from '../core/session/events.ts';
import { FIRST_FORMAT, LOG_FORMAT } from '../core/session/log-format.ts';

const NEWLINE = 0x0a;
export const PARTIAL = 'Only a part of the log can be read. Try again.';

/** Reads the bytes from `start` to `end`, or fewer if a network drive does not have all of them yet. */
export function bytesOf(file: string, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  const handle = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, start));
  } finally {
    closeSync(handle);
  }
}

/** Reads the bytes after the last newline. @throws Error if not all bytes can be read, because the last line is then unknown */
export function lastLine(handle: number): Buffer {
  let { size } = fstatSync(handle);
  const pieces: Buffer[] = [];
  while (size > 0) {
    const piece = Buffer.alloc(Math.min(size, 64 * 1024));
    if (readSync(handle, piece, 0, piece.length, size - piece.length) < piece.length) throw new Error(PARTIAL);
    const newline = piece.lastIndexOf(NEWLINE);
    pieces.unshift(piece.subarray(newline + 1));
    if (newline >= 0) break;
    size -= piece.length;
  }
  return Buffer.concat(pieces);
}

/**
 * Saves a copy of the log beside it, unless there is an identical one.
 * @returns the path of the copy
 * @throws Error if there is no space for it
 */
export function keepCopy(file: string): string {
  const bytes = readFileSync(file);
  for (let count = 1; ; count++) {
    const copy = count === 1 ? `${file}.damaged` : `${file}.${count}.damaged`;
    if (!existsSync(copy)) writeFileSync(copy, bytes, { mode: 0o600, flag: 'wx' });
    if (readFileSync(copy).equals(bytes)) return copy;
  }
}

/**
 * @param namesFormat whether this line must name the current format, because no line before it does
 * @returns the number of bytes written
 */
export function writeLine(handle: number, event: AgentEvent, namesFormat: boolean): number {
  const line = Buffer.from(`${JSON.stringify(namesFormat ? { ...event, format: LOG_FORMAT } : event)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(handle, line, at);
  return line.length;
}

/** Writes a new log. `offsets` is the place of each event in it, by number. */
export function writeEvents(file: string, events: Iterable<AgentEvent>) {
  const offsets = new Map<number, number>();
  const handle = openSync(file, 'wx', 0o600);
  try {
    let end = 0;
    for (const event of events) {
      offsets.set(event.seq, end);
      end += writeLine(handle, event, end === 0);
    }
    fsyncSync(handle);
    const formats = end > 0 ? [{ from: 0, format: LOG_FORMAT }] : [];
    return { offsets, end, inode: fstatSync(handle).ino, format: end > 0 ? LOG_FORMAT : FIRST_FORMAT, formats };
  } finally {
    closeSync(handle);
  }
}
