/**
 * Stores each session as an append-only JSONL file. When `append` returns, the operating system has received the data, so it survives a
 * crash of the program; `sync` makes it survive a crash of the computer.
 */
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '../core/json.ts';
import type { AgentEvent } from '../core/session/events.ts';
import { titleOf } from '../core/session/title.ts';
import { type ReadLines, readLines, SessionLog } from './session-log.ts';

export { SessionLog } from './session-log.ts';

export type SessionInfo = { id: string; title: string; changedAt: number };

const EXTENSION = '.jsonl';
const ID = /^[\w-]+$/;
/** Matches the first line of a log, and as much of its prompt as a title needs. The line may be cut off. */
const PROMPT = /^\{"type":"run_started".*?"prompt":"((?:[^"\\]|\\u[\da-f]{4}|\\[^u]){0,200})/i;

export class SessionStore {
  readonly #directory: string;
  /** The part of each log that was read, by session id. */
  readonly #loaded = new Map<string, ReadLines>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Creates an id that sorts by time. */
  newId(now = new Date()): string {
    return `${now.toISOString().replace(/[-:]/g, '').slice(0, 15)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  log(id: string): SessionLog {
    return new SessionLog(this.#directory, this.#file(id), this.#loaded.get(id));
  }

  /**
   * Reads the events of a session. Lines that are not events (cut off by a crash, or damaged) are skipped. A copy of a damaged file is
   * saved with the extension `.damaged`. The log itself is not changed, because another process may be writing to it.
   * @throws NewerLogError if the log was written by a newer version
   */
  async load(id: string): Promise<AgentEvent[] | undefined> {
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
      const { events, ...read } = readLines(await handle.readFile());
      this.#loaded.set(id, { ...read, inode: ino });
      // A failure to save the copy is ignored, because the log itself is not changed.
      if (read.damaged > 0) this.log(id).keepCopy();
      return events;
    } finally {
      await handle.close();
    }
  }

  /** Lists sessions, newest first. */
  async list(): Promise<SessionInfo[]> {
    const names = await readdir(this.#directory).catch(() => [] as string[]);
    const ids = names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
    const infos = await Promise.all(ids.filter((id) => ID.test(id)).map((id) => this.#info(id)));
    return infos.filter((info) => info !== undefined).sort((a, b) => b.changedAt - a.changedAt);
  }

  /** Deletes a session permanently. The workspace files it changed are not affected. */
  async remove(id: string): Promise<void> {
    const file = this.#file(id);
    await rm(file, { force: true });
    // Also deletes copies and leftovers of a crash.
    const beside = (await readdir(this.#directory).catch(() => [] as string[])).filter((name) =>
      /^\.(?:jsonl|lock)\./.test(name.slice(id.length)),
    );
    for (const name of beside) if (name.startsWith(id)) await rm(join(this.#directory, name), { force: true });
    this.#loaded.delete(id);
  }

  async #info(id: string): Promise<SessionInfo | undefined> {
    const file = this.#file(id);
    try {
      const stats = await stat(file);
      if (!stats.isFile()) return undefined;
      const handle = await open(file);
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
        return { id, title: titleIn(buffer.toString('utf8', 0, bytesRead)) ?? id, changedAt: stats.mtimeMs };
      } finally {
        await handle.close();
      }
    } catch {
      return undefined;
    }
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is not a session id. Use an id from the list of sessions.`);
    return join(this.#directory, id + EXTENSION);
  }
}

/** Returns the first line of the first prompt, shortened; undefined if the log does not begin with a prompt. */
function titleIn(log: string): string | undefined {
  const [, prompt] = PROMPT.exec(log) ?? [];
  const text = prompt === undefined ? undefined : jsonIn(`"${prompt}"`);
  return typeof text === 'string' ? titleOf(text) : undefined;
}
