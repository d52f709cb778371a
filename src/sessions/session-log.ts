/** The log of one session on disk: what is read from it, and the appending of events by whoever has it locked. */
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
 * What of a log was read. `end`: up to which byte of which file (a mended log is another one). `damaged`: how many lines are no events.
 * `isTorn`: its last line is not complete, or is being written just now. `format`: of the events that come next, unless a line says otherwise.
 */
export type ReadLines = { end: number; inode?: number; damaged: number; isTorn: boolean; format: number };

/**
 * Every line that is an event, as this version writes it. The last line needs no newline: it counts where it is complete. `format` is that of
 * the events before these bytes. @throws NewerLogError
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
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  for (let start = 0; start < whole; ) {
    // A piece at a time, since a string cannot be of any length; most logs are one piece.
    const last = bytes.lastIndexOf(NEWLINE, start + PIECE);
    const end = last < start ? bytes.indexOf(NEWLINE, start) : last;
    for (const line of textOf(bytes.subarray(start, end)).split('\n')) if (!take(line)) damaged++;
    start = end + 1;
  }
  const isTorn = !take(textOf(bytes.subarray(whole)));
  return { events, end: isTorn ? whole : bytes.length, damaged, isTorn, format };
}

/** A line that is too long for a string is no event. */
function textOf(bytes: Buffer): string {
  return bytes.length < 2 * PIECE ? bytes.toString('utf8') : UNREADABLE;
}

/** Keeps the log as it is now beside it, once. @returns where. @throws where there is no room for it. */
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
  /** What was read and written here. */
  readonly #read: ReadLines;

  constructor(directory: string, file: string, read: ReadLines = { end: 0, damaged: 0, isTorn: false, format: FIRST_FORMAT }) {
    this.#directory = directory;
    this.#file = file;
    this.#read = { ...read };
    this.#lockFile = file.replace(/\.jsonl$/, '.lock');
  }

  /** How many of the lines that were read do not count. */
  get damaged(): number {
    return this.#read.damaged + (this.#read.isTorn && !this.inUse() ? 1 : 0);
  }

  /** So many of the events that were read contradict the others, and do not count either. */
  refuse(events: number): void {
    this.#read.damaged += events;
  }

  /** @returns where; undefined where there is no room for it. */
  keepCopy(): string | undefined {
    try {
      return keepCopy(this.#file);
    } catch {
      return undefined;
    }
  }

  /** Whether a run of another process is writing it. */
  inUse(): boolean {
    return isLockedByOther(this.#lockFile);
  }

  /** Keeps other processes from it, until `unlock` was called as often. Returns whether none has it. */
  lock(): boolean {
    try {
      makeDirectory(this.#directory);
      if (!takeLock(this.#lockFile)) return false;
      this.#locks++;
    } catch {
      // Where there is no room for that, there is none for an event: appending it says so.
    }
    return true;
  }

  unlock(): void {
    if (this.#locks === 0) return;
    this.#locks--;
    try {
      releaseLock(this.#lockFile);
    } catch {
      // It names a process that will have ended.
    }
  }

  /** The events that somebody else has appended since; where somebody mended the log, those before too. @throws NewerLogError */
  missed(): AgentEvent[] {
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (!found) return [];
    const isSame = this.#read.inode === undefined || this.#read.inode === found.ino;
    const from = isSame ? this.#read.end : 0;
    if (found.size <= from) return [];
    const bytes = Buffer.alloc(found.size - from);
    const handle = openSync(this.#file, 'r');
    try {
      readSync(handle, bytes, 0, bytes.length, from);
    } finally {
      closeSync(handle);
    }
    const { events, end, damaged, ...read } = readLines(bytes, isSame ? this.#read.format : FIRST_FORMAT);
    Object.assign(this.#read, { ...read, end: from + end, inode: found.ino, damaged: damaged + (isSame ? this.#read.damaged : 0) });
    return events;
  }

  /** @throws when the disk is full or may not be written. */
  append(event: AgentEvent): void {
    this.#handle ??= this.#open();
    this.#read.end += writeLine(this.#handle, event, this.#read.format < LOG_FORMAT);
    this.#read.format = LOG_FORMAT;
  }

  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  #open(): number {
    // In a new file the end of it would stand alone, and be numbered from the middle.
    if (this.#read.end > 0 && !existsSync(this.#file)) throw new Error('it was deleted');
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
   * Makes the log one that can be appended to: where lines do not count, all that stays in it is `events`. Whatever goes is kept in a copy.
   * To be called with the lock held. @returns whether anything was lost.
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

  /** The new log takes the place of the old one at once, or not at all. */
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

  /** A last line that is complete but for its newline gets one. One that a crash cut off would swallow the event after it, and goes. */
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

/** `namesFormat`: no line before it in the log names the format of this version. @returns how long it is. */
function writeLine(handle: number, event: AgentEvent, namesFormat: boolean): number {
  const line = Buffer.from(`${JSON.stringify(namesFormat ? { ...event, format: LOG_FORMAT } : event)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(handle, line, at);
  return line.length;
}

/** What stands after the last newline. */
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
