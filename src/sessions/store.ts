/**
 * Sessions on disk: one JSONL file each, only ever appended to. A write has reached the operating system before `append`
 * returns, so it outlives a crash of the program; `sync` makes it outlive one of the machine.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../core/events.ts';

export type SessionInfo = { id: string; title: string; changedAt: number };

const EXTENSION = '.jsonl';
const NEWLINE = 0x0a;
/** The first line of a log, or the beginning of a very long one: as much of the prompt as makes a title. */
const PROMPT = /^\{"type":"run_started".*?"prompt":"((?:[^"\\]|\\u[\da-f]{4}|\\[^u]){0,200})/i;

export class SessionStore {
  readonly #directory: string;
  /** How much of each log was loaded. */
  readonly #loaded = new Map<string, number>();

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
   * The events of a session. A line that does not parse (cut off by a crash, or damaged) is left out, and of a damaged file a
   * copy as it was is kept beside it as `.damaged`, so that nothing is lost. The log itself stays as it is: another process may be writing it.
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
    this.#loaded.set(id, whole);
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      if (line === '') continue;
      const event = parse(line);
      if (event) events.push(event);
      else damaged = true;
    }
    if (damaged) await writeFile(damagedCopy(file), bytes, { flag: 'wx' }).catch(() => undefined);
    return events;
  }

  /** The newest first. */
  async list(): Promise<SessionInfo[]> {
    const names = await readdir(this.#directory).catch(() => [] as string[]);
    const infos = await Promise.all(names.filter((name) => name.endsWith(EXTENSION)).map((name) => this.#info(name)));
    return infos.filter((info) => info !== undefined).sort((a, b) => b.changedAt - a.changedAt);
  }

  /** The session is gone for good. What it wrote to files stays. */
  async remove(id: string): Promise<void> {
    const file = this.#file(id);
    await rm(file, { force: true });
    await rm(damagedCopy(file), { force: true });
    this.#loaded.delete(id);
  }

  async #info(name: string): Promise<SessionInfo | undefined> {
    const file = join(this.#directory, name);
    const id = name.slice(0, -EXTENSION.length);
    try {
      const { mtimeMs } = await stat(file);
      const handle = await open(file);
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
        const [, prompt] = PROMPT.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
        const title = prompt === undefined ? id : JSON.parse(`"${prompt}"`).split('\n', 1)[0].slice(0, 80);
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
  readonly #lockFile: string;
  #handle: number | undefined;
  #locked = false;
  /** So many bytes of it were read or written here. */
  #known: number;

  constructor(directory: string, file: string, known = 0) {
    this.#directory = directory;
    this.#file = file;
    this.#known = known;
    this.#lockFile = file.replace(/\.jsonl$/, '.lock');
  }

  /** Whether a run of another process is writing it. */
  inUse(): boolean {
    try {
      const pid = Number(readFileSync(this.#lockFile, 'utf8'));
      // An id from before the computer was started belongs to somebody else by now.
      return pid > 0 && pid !== process.pid && statSync(this.#lockFile).mtimeMs > Date.now() - uptime() * 1000 && isAlive(pid);
    } catch {
      return false;
    }
  }

  /** Keeps other processes from it, until `unlock`. Returns whether none has it. */
  lock(): boolean {
    const options = { mode: 0o600, flag: 'wx' };
    try {
      mkdirSync(this.#directory, { recursive: true });
      try {
        writeFileSync(this.#lockFile, String(process.pid), options);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (this.inUse()) return false;
        // Whoever made it is gone.
        writeFileSync(this.#lockFile, String(process.pid), { ...options, flag: 'w' });
      }
      this.#locked = true;
    } catch {
      // Where there is no room for that, there is none for an event: appending it says so.
    }
    return true;
  }

  /** The events that somebody else has appended since. */
  missed(): AgentEvent[] {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#known) return [];
    const bytes = Buffer.alloc(size - this.#known);
    const handle = openSync(this.#file, 'r');
    try {
      readSync(handle, bytes, 0, bytes.length, this.#known);
    } finally {
      closeSync(handle);
    }
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    this.#known += whole;
    return bytes
      .toString('utf8', 0, whole)
      .split('\n')
      .flatMap((line) => parse(line) ?? []);
  }

  unlock(): void {
    if (!this.#locked) return;
    this.#locked = false;
    try {
      rmSync(this.#lockFile, { force: true });
    } catch {
      // It names a process that will have ended.
    }
  }

  /** @throws when the disk is full or may not be written. */
  append(event: AgentEvent): void {
    this.#handle ??= this.#open();
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    for (let at = 0; at < line.length; ) at += writeSync(this.#handle, line, at);
    this.#known += line.length;
  }

  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  #open(): number {
    // In a new file the end of it would stand alone, and be numbered from the middle.
    if (this.#known > 0 && !existsSync(this.#file)) throw new Error('it was deleted');
    mkdirSync(this.#directory, { recursive: true });
    const handle = openSync(this.#file, 'a+', 0o600);
    try {
      this.#cutTornLine(handle);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
    return handle;
  }

  /** A last line that a crash cut off would swallow the event after it. */
  #cutTornLine(handle: number): void {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1, NEWLINE);
    if (size > 0) readSync(handle, last, 0, 1, size - 1);
    if (last[0] === NEWLINE) return;
    const bytes = readFileSync(this.#file);
    try {
      writeFileSync(damagedCopy(this.#file), bytes, { flag: 'wx' });
    } catch {
      // There is one already, or no room for it.
    }
    ftruncateSync(handle, bytes.lastIndexOf(NEWLINE) + 1);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }
}

function damagedCopy(file: string): string {
  return `${file}.damaged`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
