/** The log file of one session: reading its events, and appending to it while its lock is held. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { jsonIn } from '../core/json.ts';
import type { AgentEvent } from '../core/session/events.ts';
import { FIRST_FORMAT, LOG_FORMAT } from '../core/session/log-format.ts';
import { isLogged } from '../core/session/shapes/event-shape.ts';
import { makeDirectory } from './directory.ts';
import { isLockedByOther, releaseLock, takeLock } from './lock.ts';
import { bytesOf, keepCopy, lastLine, PARTIAL, writeEvents, writeLine } from './log-bytes.ts';
import { eventIn, type LoggedLines, type ReadLines, readLines, type TakeEvent, textOf } from './log-lines.ts';
import { LogReader } from './log-reader.ts';

const NOTHING_READ: Readonly<ReadLines> = { end: 0, damaged: 0, isTorn: false, format: FIRST_FORMAT, formats: [] };

export class SessionLog {
  readonly #directory: string;
  readonly #file: string;
  readonly #lockFile: string;
  #handle: number | undefined;
  /** Whether the file had a name when it was opened. */
  #hasName = false;
  #locks = 0;
  /** The part of the log that this object has read or written. */
  readonly #read = { ...NOTHING_READ };
  readonly #reader: LogReader;
  #isDistrusted = false;

  constructor(directory: string, file: string) {
    this.#directory = directory;
    this.#file = file;
    this.#reader = new LogReader(file);
    this.#lockFile = file.replace(/\.jsonl$/, '.lock');
  }

  /** The number of lines read that are not valid events. */
  get damaged(): number {
    return this.#read.damaged + (this.#read.isTorn && !this.inUse() ? 1 : 0);
  }

  /** Whether a rewritten log can be recognized by its inode. Some network drives have no inodes. */
  get hasInode(): boolean {
    return this.#read.inode !== 0;
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

  /** Returns true if another process is writing to the log. */
  inUse(): boolean {
    return isLockedByOther(this.#lockFile);
  }

  /**
   * Locks the log against other processes until a matching call of `unlock`. @returns false if another process holds the lock
   * @throws Error of the file system if the lock file cannot be written. There can be space for an event and none for another file.
   */
  lock(): boolean {
    makeDirectory(this.#directory);
    if (!takeLock(this.#lockFile)) return false;
    this.#locks++;
    return true;
  }

  unlock(): void {
    if (this.#locks === 0) return;
    this.#locks--;
    releaseLock(this.#lockFile);
  }

  /**
   * Reads the whole log. Lines that are not events (cut off by a crash, or damaged) are skipped. The log itself is not changed, because another
   * process may be writing to it.
   * @returns false if there is no log
   * @throws NewerLogError if the log was written by a newer version
   */
  async readAll(take: TakeEvent): Promise<boolean> {
    const { readWholeLog } = await import('./whole-log.ts');
    const read = await readWholeLog(this.#file, take);
    Object.assign(this.#read, read);
    this.#isDistrusted &&= !read;
    return read !== undefined;
  }

  /**
   * Reads the events that another process has appended since the last read. If that process repaired the log, or after `distrust`, all events
   * are returned, and `isNewFile` is set.
   * @throws NewerLogError if that process is a newer version
   * @throws Error if the log cannot be read
   */
  readNewEvents(): LoggedLines & { isNewFile?: boolean } {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    if (!stats && this.#read.end === 0) return { events: [], offsets: [] };
    if (!stats) throw new Error('This session was deleted in another window or process. Restore it, or start a new session.');
    const isSame = !this.#isDistrusted && (this.#read.inode === undefined || this.#read.inode === stats.ino);
    const from = isSame ? this.#read.end : 0;
    if (stats.size <= from && !this.#isDistrusted) return { events: [], offsets: [] };
    const bytes = bytesOf(this.#file, from, stats.size);
    // While this object holds the lock, a missing event would get its number again.
    if ((this.#isDistrusted || this.#locks > 0) && bytes.length < stats.size - from) throw new Error(PARTIAL);
    const { events, offsets, damaged, formats, ...read } = readLines(bytes, isSame ? this.#read.format : FIRST_FORMAT, from);
    const before = isSame ? this.#read : NOTHING_READ;
    Object.assign(this.#read, read, {
      inode: stats.ino,
      damaged: before.damaged + damaged,
      formats: [...before.formats, ...formats],
    });
    this.#isDistrusted = false;
    return { events, offsets, isNewFile: !isSame };
  }

  /** Makes `readNewEvents` read the whole log, because the part that was read before may be wrong or incomplete. */
  distrust(): void {
    this.#isDistrusted = true;
  }

  /**
   * Reads the event whose line begins at this byte. The event was read or appended before, so its shape is not checked again.
   * @throws Error if the log cannot be read
   */
  read(offset: number): AgentEvent | undefined {
    if (offset < 0) throw new Error('An event is missing in the log. Open the session again.');
    const { inode, formats } = this.#read;
    const format = formats.findLast(({ from }) => from <= offset)?.format ?? FIRST_FORMAT;
    return eventIn(jsonIn(this.#reader.line(offset, inode)), format) as AgentEvent | undefined;
  }

  /** Closes the file that `read` has opened. */
  endReading(): void {
    this.#reader.close();
  }

  /** @returns the byte at which the line of the event begins. @throws Error if the disk is full or not writable */
  append(event: AgentEvent): number {
    this.#handle ??= this.#open();
    let length: number;
    try {
      length = writeLine(this.#handle, event, this.#read.format < LOG_FORMAT);
    } catch (error) {
      // The server of a network drive was restarted. Nothing was written, and only a new handle can write again.
      if ((error as NodeJS.ErrnoException).code !== 'ESTALE') throw error;
      this.#handle = this.#reopened();
      length = writeLine(this.#handle, event, this.#read.format < LOG_FORMAT);
    }
    const { size, nlink } = fstatSync(this.#handle);
    // Events that are written to a file without a name are lost. Some file systems do not count names.
    if (nlink === 0 && this.#hasName) throw new Error('the log file was deleted or replaced');
    const offset = size - length;
    this.#read.end += length;
    this.#nameFormat(offset);
    return offset;
  }

  #reopened(): number {
    const { inode } = this.#read;
    try {
      this.close();
    } catch {
      // A stale handle may not even be closed.
    }
    const handle = this.#open();
    if (this.#read.inode === inode) return handle;
    closeSync(handle);
    throw new Error('the log file was replaced');
  }

  #nameFormat(from: number): void {
    if (this.#read.format === LOG_FORMAT) return;
    this.#read.format = LOG_FORMAT;
    this.#read.formats = [...this.#read.formats, { from, format: LOG_FORMAT }];
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
      const { ino, nlink } = fstatSync(handle);
      this.#read.inode = ino;
      this.#hasName = nlink > 0;
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
   * @returns whether anything was lost and, if the log was rewritten, the offset of each event in the new file, by number
   */
  mend(events: Iterable<AgentEvent>): { isLost: boolean; offsets?: Map<number, number> } {
    if (!existsSync(this.#file)) return { isLost: false };
    if (this.#read.damaged > 0) return { isLost: true, offsets: this.#rewrite(events) };
    const handle = openSync(this.#file, 'a+', 0o600);
    try {
      return { isLost: this.#endLine(handle) };
    } finally {
      closeSync(handle);
    }
  }

  /** Replaces the log atomically with a log that contains only `events`. */
  #rewrite(events: Iterable<AgentEvent>): Map<number, number> {
    keepCopy(this.#file);
    const mended = `${this.#file}.${crypto.randomUUID()}`;
    try {
      const { offsets, ...written } = writeEvents(mended, events);
      // Both files are closed by now, because some network drives cannot rename an open file.
      this.#reader.close();
      renameSync(mended, this.#file);
      Object.assign(this.#read, { ...written, damaged: 0, isTorn: false });
      return offsets;
    } finally {
      rmSync(mended, { force: true });
    }
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
    this.#reader.close();
    const handle = this.#handle;
    this.#handle = undefined;
    if (handle !== undefined) closeSync(handle);
  }
}
