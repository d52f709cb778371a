/** The log file of one session: reading its events, and appending to it while its lock is held. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { jsonIn } from '../core/json.ts';
import { isLogged } from '../core/session/event-shape.ts';
import type { AgentEvent } from '../core/session/events.ts';
import { FIRST_FORMAT, formatNamed, LOG_FORMAT, migrated } from '../core/session/log-format.ts';
import { makeDirectory } from './directory.ts';
import { isLockedByOther, releaseLock, takeLock } from './lock.ts';

const NEWLINE = 0x0a;
const PIECE = 128 * 1024 * 1024;
const UNREADABLE = '\0';

/**
 * The part of a log that was read. `end` is the byte offset of its end in the file with this `inode` (repairing a log creates a new file).
 * `damaged` is the number of lines that are not events. `isTorn` means that the last line is incomplete or still being written. `format` is
 * the format of the next events, unless a line names another format.
 */
export type ReadLines = { end: number; inode?: number; damaged: number; isTorn: boolean; format: number };

/**
 * Reads every line that is an event, converted to the current format. The last line is accepted without a newline if it is complete.
 * @param format the format of the events before these bytes
 * @throws NewerLogError if the log was written by a newer version
 */
export function readLines(bytes: Buffer, format = FIRST_FORMAT): ReadLines & { events: AgentEvent[] } {
  const events: AgentEvent[] = [];
  let damaged = 0;
  const take = (line: string): boolean => {
    const written = jsonIn(line);
    const named = formatNamed(written);
    format = named ?? format;
    const event = migrated(written, format);
    if (!isLogged(event)) return line === '';
    if (named !== undefined) delete (event as { format?: number }).format;
    events.push(event);
    return true;
  };
  const completeLength = bytes.lastIndexOf(NEWLINE) + 1;
  for (let start = 0; start < completeLength; ) {
    // The bytes are decoded in pieces because the length of a string is limited; most logs fit in one piece.
    const last = bytes.lastIndexOf(NEWLINE, start + PIECE);
    const end = last < start ? bytes.indexOf(NEWLINE, start) : last;
    for (const line of textOf(bytes.subarray(start, end)).split('\n')) if (!take(line)) damaged++;
    start = end + 1;
  }
  const isTorn = !take(textOf(bytes.subarray(completeLength)));
  return { events, end: isTorn ? completeLength : bytes.length, damaged, isTorn, format };
}

/** A line that exceeds the maximum string length is not an event. */
function textOf(bytes: Buffer): string {
  return bytes.length < 2 * PIECE ? bytes.toString('utf8') : UNREADABLE;
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

export class SessionLog {
  readonly #directory: string;
  readonly #file: string;
  readonly #lockFile: string;
  #handle: number | undefined;
  #locks = 0;
  /** The part of the log that this object has read or written. */
  readonly #read: ReadLines;

  constructor(directory: string, file: string, read: ReadLines = { end: 0, damaged: 0, isTorn: false, format: FIRST_FORMAT }) {
    this.#directory = directory;
    this.#file = file;
    this.#read = { ...read };
    this.#lockFile = file.replace(/\.jsonl$/, '.lock');
  }

  /** The number of lines read that are not valid events. */
  get damaged(): number {
    return this.#read.damaged + (this.#read.isTorn && !this.inUse() ? 1 : 0);
  }

  /** Adds events that contradict other events to the number of damaged lines. */
  refuse(events: number): void {
    this.#read.damaged += events;
  }

  /** @returns the path of the copy; undefined if there is no space for it */
  keepCopy(): string | undefined {
    try {
      return keepCopy(this.#file);
    } catch {
      return undefined;
    }
  }

  /** Whether another process is writing to the log. */
  inUse(): boolean {
    return isLockedByOther(this.#lockFile);
  }

  /** Locks the log against other processes until a matching call of `unlock`. @returns false if another process holds the lock */
  lock(): boolean {
    try {
      makeDirectory(this.#directory);
      if (!takeLock(this.#lockFile)) return false;
      this.#locks++;
    } catch {
      // If there is no space for the lock file, appending an event will fail and report it.
    }
    return true;
  }

  unlock(): void {
    if (this.#locks === 0) return;
    this.#locks--;
    try {
      releaseLock(this.#lockFile);
    } catch {
      // The lock becomes stale when this process ends.
    }
  }

  /**
   * Reads the events that another process has appended since the last read. If that process repaired the log, all events are returned.
   * @throws NewerLogError if that process is a newer version
   */
  readNewEvents(): AgentEvent[] {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    if (!stats) return [];
    const isSame = this.#read.inode === undefined || this.#read.inode === stats.ino;
    const from = isSame ? this.#read.end : 0;
    if (stats.size <= from) return [];
    const bytes = Buffer.alloc(stats.size - from);
    const handle = openSync(this.#file, 'r');
    try {
      readSync(handle, bytes, 0, bytes.length, from);
    } finally {
      closeSync(handle);
    }
    const { events, end, damaged, ...read } = readLines(bytes, isSame ? this.#read.format : FIRST_FORMAT);
    Object.assign(this.#read, { ...read, end: from + end, inode: stats.ino, damaged: damaged + (isSame ? this.#read.damaged : 0) });
    return events;
  }

  /** @throws Error if the disk is full or not writable */
  append(event: AgentEvent): void {
    this.#handle ??= this.#open();
    this.#read.end += writeLine(this.#handle, event, this.#read.format < LOG_FORMAT);
    this.#read.format = LOG_FORMAT;
  }

  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  #open(): number {
    // If the log file was deleted, a new file would lack all earlier events.
    if (this.#read.end > 0 && !existsSync(this.#file)) throw new Error('the log file was deleted');
    makeDirectory(this.#directory);
    const handle = openSync(this.#file, 'a+', 0o600);
    try {
      this.#read.inode = fstatSync(handle).ino;
      this.#endLine(handle);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
    return handle;
  }

  /**
   * Prepares the log for appending. If it contains invalid lines, it is rewritten with only `events`; a copy of the original is kept. The
   * lock must be held.
   * @returns whether anything was lost
   */
  mend(events: readonly AgentEvent[]): boolean {
    if (!existsSync(this.#file)) return false;
    if (this.#read.damaged > 0) return this.#rewrite(events);
    const handle = openSync(this.#file, 'a+', 0o600);
    try {
      return this.#endLine(handle);
    } finally {
      closeSync(handle);
    }
  }

  /** Replaces the log atomically by a log that contains only `events`. */
  #rewrite(events: readonly AgentEvent[]): true {
    keepCopy(this.#file);
    const mended = `${this.#file}.${crypto.randomUUID()}`;
    const handle = openSync(mended, 'wx', 0o600);
    try {
      let end = 0;
      for (const [index, event] of events.entries()) end += writeLine(handle, event, index === 0);
      fsyncSync(handle);
      renameSync(mended, this.#file);
      Object.assign(this.#read, {
        end,
        inode: fstatSync(handle).ino,
        damaged: 0,
        isTorn: false,
        format: end > 0 ? LOG_FORMAT : FIRST_FORMAT,
      });
    } finally {
      closeSync(handle);
      rmSync(mended, { force: true });
    }
    return true;
  }

  /** Terminates a complete last line with a newline. A partial line left by a crash is removed, because it would corrupt the next event. */
  #endLine(handle: number): boolean {
    const tail = lastLine(handle);
    if (tail.length === 0) return false;
    if (isLogged(jsonIn(textOf(tail)))) {
      writeSync(handle, '\n');
      return false;
    }
    this.keepCopy();
    ftruncateSync(handle, fstatSync(handle).size - tail.length);
    this.#read.isTorn = false;
    return true;
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }
}

/**
 * @param namesFormat whether this line must name the current format, because no line before it does
 * @returns the number of bytes written
 */
function writeLine(handle: number, event: AgentEvent, namesFormat: boolean): number {
  const line = Buffer.from(`${JSON.stringify(namesFormat ? { ...event, format: LOG_FORMAT } : event)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(handle, line, at);
  return line.length;
}

/** Reads the bytes after the last newline. */
function lastLine(handle: number): Buffer {
  let { size } = fstatSync(handle);
  const pieces: Buffer[] = [];
  while (size > 0) {
    const piece = Buffer.alloc(Math.min(size, 64 * 1024));
    readSync(handle, piece, 0, piece.length, size - piece.length);
    const newline = piece.lastIndexOf(NEWLINE);
    pieces.unshift(piece.subarray(newline + 1));
    if (newline >= 0) break;
    size -= piece.length;
  }
  return Buffer.concat(pieces);
}
