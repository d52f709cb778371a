/**
 * Sessions on disk: one JSONL file each, only ever appended to. A write has reached the operating system before `append`
 * returns, so it outlives a crash of the program; `sync` makes it outlive one of the machine.
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
/** The first line of a log, or the beginning of a very long one: as much of the prompt as makes a title. */
const PROMPT = /^\{"type":"run_started".*?"prompt":"((?:[^"\\]|\\u[\da-f]{4}|\\[^u]){0,200})/i;

export class SessionStore {
  readonly #directory: string;
  /** How far each log was read. */
  readonly #loaded = new Map<string, ReadLines>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** An id that sorts by time. */
  newId(now = new Date()): string {
    return `${now.toISOString().replace(/[-:]/g, '').slice(0, 15)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  log(id: string): SessionLog {
    return new SessionLog(this.#directory, this.#file(id), this.#loaded.get(id));
  }

  /**
   * The events of a session. A line that is no event (cut off by a crash, or damaged) is left out, and of a damaged file a
   * copy as it was is kept beside it as `.damaged`, so that nothing is lost. The log itself stays as it is: another process may be writing it.
   * @throws NewerLogError
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
      // Where there is no room for it, the log itself stays as it is.
      if (read.damaged > 0) this.log(id).keepCopy();
      return events;
    } finally {
      await handle.close();
    }
  }

  /** The newest first. */
  async list(): Promise<SessionInfo[]> {
    const names = await readdir(this.#directory).catch(() => [] as string[]);
    const ids = names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
    const infos = await Promise.all(ids.filter((id) => ID.test(id)).map((id) => this.#info(id)));
    return infos.filter((info) => info !== undefined).sort((a, b) => b.changedAt - a.changedAt);
  }

  /** The session is gone for good. What it wrote to files stays. */
  async remove(id: string): Promise<void> {
    const file = this.#file(id);
    await rm(file, { force: true });
    // Copies, and what a crash left behind.
    const beside = (await readdir(this.#directory).catch(() => [] as string[])).filter((name) =>
      /^\.(?:jsonl|lock)\./.test(name.slice(id.length)),
    );
    for (const name of beside) if (name.startsWith(id)) await rm(join(this.#directory, name), { force: true });
    this.#loaded.delete(id);
  }

  async #info(id: string): Promise<SessionInfo | undefined> {
    const file = this.#file(id);
    try {
      const found = await stat(file);
      if (!found.isFile()) return undefined;
      const handle = await open(file);
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
        return { id, title: titleIn(buffer.toString('utf8', 0, bytesRead)) ?? id, changedAt: found.mtimeMs };
      } finally {
        await handle.close();
      }
    } catch {
      return undefined;
    }
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is no session id.`);
    return join(this.#directory, id + EXTENSION);
  }
}

/** The beginning of the first prompt; undefined where the log does not begin with one. */
function titleIn(log: string): string | undefined {
  const [, prompt] = PROMPT.exec(log) ?? [];
  const text = prompt === undefined ? undefined : jsonIn(`"${prompt}"`);
  return typeof text === 'string' ? titleOf(text) : undefined;
}
