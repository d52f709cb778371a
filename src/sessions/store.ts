/**
 * Stores each session as an append-only JSONL file. When `append` returns, the operating system has received the data, so it survives a
 * crash of the program; `sync` makes it survive a crash of the computer.
 */
import { join } from 'node:path';
import type { AgentEvent } from '../core/session/events.ts';
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

  /** Reads the events of a session. @returns undefined if there is none. @throws NewerLogError if the log was written by a newer version */
  async load(id: string): Promise<AgentEvent[] | undefined> {
    return (await import('./whole-log.ts')).eventsIn(this.log(id));
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is not a session id. Use an id from the list of sessions.`);
    return join(this.directory, id + EXTENSION);
  }
}
