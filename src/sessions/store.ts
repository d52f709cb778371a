/**
 * Sessions on disk: one JSONL file each, only ever appended to. A write has reached the operating system before `append`
 * returns, so it outlives a crash of the program; `sync` makes it outlive one of the machine.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../core/events.ts';

export type SessionInfo = { id: string; title: string; changedAt: number };

const EXTENSION = '.jsonl';

export class SessionStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** An id that sorts by time. */
  newId(now = new Date()): string {
    return `${now.toISOString().replace(/[-:]/g, '').slice(0, 15)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  log(id: string): SessionLog {
    return new SessionLog(this.#directory, this.#file(id));
  }

  /**
   * The events of a session. A line that does not parse (cut off by a crash, or damaged) is left out, and the file as it was
   * is kept beside it as `.damaged`, so that nothing is lost.
   */
  async load(id: string): Promise<AgentEvent[] | undefined> {
    const file = this.#file(id);
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const events: AgentEvent[] = [];
    let damaged = false;
    const whole = bytes.lastIndexOf('\n') + 1;
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      if (line === '') continue;
      const event = parse(line);
      if (event) events.push(event);
      else damaged = true;
    }
    if (damaged || whole < bytes.length) await writeFile(`${file}.damaged`, bytes, { flag: 'wx' }).catch(() => undefined);
    // A torn last line would swallow the next event appended after it.
    if (whole < bytes.length) await truncate(file, whole);
    return events;
  }

  /** The newest first. */
  async list(): Promise<SessionInfo[]> {
    const names = await readdir(this.#directory).catch(() => [] as string[]);
    const infos = await Promise.all(names.filter((name) => name.endsWith(EXTENSION)).map((name) => this.#info(name)));
    return infos.filter((info) => info !== undefined).sort((a, b) => b.changedAt - a.changedAt);
  }

  async #info(name: string): Promise<SessionInfo | undefined> {
    const file = join(this.#directory, name);
    const id = name.slice(0, -EXTENSION.length);
    try {
      const { mtimeMs } = await stat(file);
      const handle = await open(file);
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
        const first = parse(buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '');
        const title = first?.type === 'run_started' ? (first.prompt.split('\n', 1)[0] ?? '').slice(0, 80) : id;
        return { id, title, changedAt: mtimeMs };
      } finally {
        await handle.close();
      }
    } catch {
      return undefined;
    }
  }

  #file(id: string): string {
    if (!/^[\w-]+$/.test(id)) throw new Error(`${id} is no session id.`);
    return join(this.#directory, id + EXTENSION);
  }
}

export class SessionLog {
  readonly #directory: string;
  readonly #file: string;
  #handle: number | undefined;

  constructor(directory: string, file: string) {
    this.#directory = directory;
    this.#file = file;
  }

  /** @throws when the disk is full or may not be written. */
  append(event: AgentEvent): void {
    if (this.#handle === undefined) {
      mkdirSync(this.#directory, { recursive: true });
      this.#handle = openSync(this.#file, 'a', 0o600);
    }
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    for (let at = 0; at < line.length; ) at += writeSync(this.#handle, line, at);
  }

  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }
}

function parse(line: string): AgentEvent | undefined {
  try {
    const event = JSON.parse(line);
    return event && typeof event === 'object' && typeof event.type === 'string' && typeof event.seq === 'number' ? event : undefined;
  } catch {
    return undefined;
  }
}
