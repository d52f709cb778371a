/**
 * Stores each session as an append-only JSONL file. When `append` returns, the operating system has received the data, so it survives a
 * crash of the program; `sync` makes it survive a crash of the computer.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../core/session/events.ts';
import { type LoggedLines, type ReadLines, readLines } from './log-lines.ts';
import { SessionLog } from './session-log.ts';

export { SessionLog } from './session-log.ts';

const EXTENSION = '.jsonl';
const ID = /^[\w-]+$/;

export class SessionStore {
  readonly directory: string;
  /** The part of each log that was read, by session id. */
  readonly #loaded = new Map<string, ReadLines>();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Creates an id that sorts by time. */
  newId(now = new Date()): string {
    return `${now.toISOString().replace(/[-:]/g, '').slice(0, 15)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  log(id: string): SessionLog {
    return new SessionLog(this.directory, this.#file(id), this.#loaded.get(id));
  }

  /**
   * Reads the events of a session. Lines that are not events (cut off by a crash, or damaged) are skipped. A copy of a damaged file is
   * saved with the extension `.damaged`. The log itself is not changed, because another process may be writing to it.
   * @throws NewerLogError if the log was written by a newer version
   */
  async load(id: string): Promise<AgentEvent[] | undefined> {
    return (await this.open(id))?.events;
  }

  /** Does the same as `load`, and also returns the offsets of the events, so that they can be read again. */
  async open(id: string): Promise<LoggedLines | undefined> {
    const file = this.#file(id);
    let handle: FileHandle;
    try {
      handle = await open(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { ino } = await handle.stat();
      const { events, offsets, ...read } = readLines(await handle.readFile());
      this.#loaded.set(id, { ...read, inode: ino });
      // A failure to save the copy is ignored, because the log itself is not changed.
      if (read.damaged > 0) this.log(id).keepCopy();
      return { events, offsets };
    } finally {
      await handle.close();
    }
  }

  /**
   * Reads the events of a log without opening the session. @throws Error if there is no log; NewerLogError if a newer version wrote it
   */
  async read(id: string): Promise<AgentEvent[]> {
    return readLines(await readFile(this.#file(id))).events;
  }

  /** Discards the data that was read for a session, because its log was moved or deleted. */
  forget(id: string): void {
    this.#loaded.delete(id);
  }

  /** Writes the log of a new session. @throws Error of the file system */
  create(id: string, events: readonly AgentEvent[]): void {
    const log = this.log(id);
    if (!log.lock()) throw new Error(`The session ${id} is in use.`);
    try {
      for (const event of events) log.append(event);
      log.sync();
    } finally {
      log.close();
      log.unlock();
    }
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is not a session id. Use an id from the list of sessions.`);
    return join(this.directory, id + EXTENSION);
  }
}
