/**
 * Stores each session as an append-only JSONL file. When `append` returns, the operating system has received the data, so it survives a
 * crash of the program; `sync` makes it survive a crash of the computer.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../core/session/events.ts';
import { readLines } from './log-lines.ts';
import { SessionLog } from './session-log.ts';

export { SessionLog } from './session-log.ts';

const EXTENSION = '.jsonl';
const ID = /^[\w-]+$/;

export class SessionStore {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Creates an id that sorts by time. */
  newId(now = new Date()): string {
    return `${now.toISOString().replace(/[-:]/g, '').slice(0, 15)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  log(id: string): SessionLog {
    return new SessionLog(this.directory, this.#file(id));
  }

  /**
   * Reads the events of a session. A copy of a damaged log is saved with the extension `.damaged`.
   * @returns undefined if there is no such session
   * @throws NewerLogError if the log was written by a newer version
   */
  async load(id: string): Promise<AgentEvent[] | undefined> {
    const events: AgentEvent[] = [];
    const log = this.log(id);
    if (!(await log.readAll((event) => events.push(event)))) return undefined;
    if (log.damaged > 0) log.keepCopy();
    return events;
  }

  /**
   * Reads the events of a log without opening the session. @throws Error if there is no log; NewerLogError if a newer version wrote it
   */
  async read(id: string): Promise<AgentEvent[]> {
    return readLines(await readFile(this.#file(id))).events;
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is not a session id. Use an id from the list of sessions.`);
    return join(this.directory, id + EXTENSION);
  }
}
