/**
 * What a change of several files is about to do, written down before it begins, so that a program that is killed in the middle of it leaves no
 * mixture: at the next start what was not finished is taken back. A journal is `pending` until all of its change has landed; renaming it to
 * `done` is the moment from which the change stands.
 */
import { createHash, randomUUID } from 'node:crypto';
import type * as NodeFs from 'node:fs';
import { mkdirSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonIn } from '../../../core/json.ts';
import { releaseLock, takeLock } from '../../../sessions/lock.ts';
import { isRunning, ownProcess } from '../../../sessions/processes.ts';

/** What the writer needs of the file system; a test hands it one that fails. */
export type FileOps = Pick<
  typeof NodeFs,
  | 'closeSync'
  | 'copyFileSync'
  | 'fchmodSync'
  | 'fchownSync'
  | 'fsyncSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'unlinkSync'
  | 'writeFileSync'
>;

/** One file of a change. `temporary` holds what it shall be, `backup` what it was; `before` and `after` are hashes, absent where there is no file. */
export type Step = { file: string; directory?: boolean; temporary?: string; backup?: string; before?: string; after?: string };
/** `made`: directories that did not exist before, outer ones first. */
export type Entry = { made: string[]; steps: Step[] };
/** `startedAt` tells the program from a later one that the system gave the same process id to. */
type Written = Entry & { startedAt?: string };

const PENDING = '.pending';
const DONE = '.done';
const LOOK_MS = 5;
const PATIENCE_MS = 10_000;
/** Those that this very program is at. */
const active = new Set<string>();

export class Journal {
  readonly #fs: FileOps;
  readonly #directory: string;

  constructor(fs: FileOps, directory: string) {
    this.#fs = fs;
    this.#directory = directory;
  }

  /** Waits until no other program writes here. @returns how to let the next one in. @throws where one does not end. */
  async lock(): Promise<() => void> {
    const path = `${this.#directory}.lock`;
    for (let waited = 0; !tookLock(path); waited += LOOK_MS) {
      if (waited >= PATIENCE_MS) throw new Error('Another Kedge has been writing in this workspace for too long.');
      await delay(LOOK_MS);
    }
    return () => quietly(() => releaseLock(path));
  }

  /** From its return on, a crash is taken back; `durable`: also one of the computer. */
  begin(entry: Entry, durable: boolean): OpenJournal {
    const fs = this.#fs;
    fs.mkdirSync(this.#directory, { recursive: true });
    const id = `${process.pid}-${randomUUID()}`;
    const name = (state: string) => join(this.#directory, id + state);
    active.add(id);
    try {
      const { startedAt } = ownProcess();
      write(fs, name('.new'), JSON.stringify({ ...entry, ...(startedAt && { startedAt }) } satisfies Written), durable);
      fs.renameSync(name('.new'), name(PENDING));
      if (durable) syncDirectory(fs, this.#directory);
    } catch (error) {
      for (const state of ['.new', PENDING]) quietly(() => remove(fs, name(state)));
      active.delete(id);
      throw error;
    }
    return {
      commit: () => fs.renameSync(name(PENDING), name(DONE)),
      end: () => {
        remove(fs, name(PENDING));
        remove(fs, name(DONE));
      },
      leave: () => void active.delete(id),
    };
  }

  /** Takes back what was not finished and tidies up after what was. What fails stays in the journal for the next time. */
  recover(): void {
    const fs = this.#fs;
    let names: string[];
    try {
      names = fs.readdirSync(this.#directory);
    } catch {
      return;
    }
    for (const name of names.sort()) {
      const [, id = '', pid = '', state] = /^((\d+)-[\w-]+)(\.\w+)$/.exec(name) ?? [];
      const path = join(this.#directory, name);
      if (!state || active.has(id) || this.#lives(Number(pid), path)) continue;
      quietly(() => this.#recoverOne(path, state));
    }
  }

  /** Under a name of this program first: of two programs that find a journal at the same moment, one alone may act on it. */
  #recoverOne(found: string, state: string): void {
    const fs = this.#fs;
    const path = join(this.#directory, `${process.pid}-${randomUUID()}${state}`);
    fs.renameSync(found, path);
    if (state === PENDING) takeBack(fs, JSON.parse(fs.readFileSync(path, 'utf8')));
    else if (state === DONE) removeLeftovers(fs, JSON.parse(fs.readFileSync(path, 'utf8')));
    remove(fs, path);
  }

  /** Another program may be in the middle of its change. An id from before the computer was started belongs to somebody else by now. */
  #lives(pid: number, path: string): boolean {
    if (pid === process.pid) return false;
    try {
      if (this.#fs.lstatSync(path).mtimeMs < Date.now() - uptime() * 1000) return false;
      const startedAt = (jsonIn(this.#fs.readFileSync(path, 'utf8')) as Partial<Written> | undefined)?.startedAt;
      return isRunning({ pid, startedAt });
    } catch {
      return false;
    }
  }
}

export type OpenJournal = {
  /** The change stands. */
  commit(): void;
  /** There is nothing left to do. */
  end(): void;
  /** What is left to do is for the next `recover`. */
  leave(): void;
};

/** Where a lock cannot be made, neither can a journal, which says why. */
function tookLock(path: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return takeLock(path);
  } catch {
    return true;
  }
}

/** Every file as it was, but for those that somebody else has changed since. May be done again. @throws after all were tried. */
export function takeBack(fs: FileOps, { steps, made }: Entry): void {
  const failures: unknown[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failures.push(error);
    }
  };
  for (const step of steps.toReversed()) attempt(() => takeBackStep(fs, step));
  for (const directory of made.toReversed()) attempt(() => removeDirectory(fs, directory));
  if (failures.length > 0) throw failures[0];
}

function takeBackStep(fs: FileOps, { file, directory, temporary, backup, before, after }: Step): void {
  if (directory) {
    if (before !== undefined && !exists(fs, file)) fs.mkdirSync(file);
    return;
  }
  if (backup && exists(fs, backup)) {
    // What is neither the one nor the other is somebody's work.
    if (hashAt(fs, file) === after) fs.renameSync(backup, file);
    remove(fs, backup);
  } else if (before === undefined && after !== undefined && isOurs(fs, file, temporary, after)) fs.unlinkSync(file);
  if (temporary) remove(fs, temporary);
}

/** A new file is a second name of its temporary one, where the file system has such a thing. */
function isOurs(fs: FileOps, file: string, temporary: string | undefined, after: string): boolean {
  if (hashAt(fs, file) !== after) return false;
  const witness = temporary && fs.lstatSync(temporary, { throwIfNoEntry: false });
  return !witness || witness.ino === fs.lstatSync(file).ino;
}

/** Removes what a change that stands has left over. @throws after all were tried. */
export function removeLeftovers(fs: FileOps, { steps }: Entry): void {
  const failures: unknown[] = [];
  for (const path of steps.flatMap(({ temporary, backup }) => [temporary, backup])) {
    try {
      if (path) remove(fs, path);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

export function hashOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** undefined where there is nothing; what is no file has no hash that a step could know. */
export function hashAt(fs: FileOps, path: string): string | undefined {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isFile() ? hashOfBytes(fs.readFileSync(path)) : 'no file';
}

export function exists(fs: FileOps, path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function remove(fs: FileOps, path: string): void {
  if (exists(fs, path)) fs.unlinkSync(path);
}

/** Unless somebody put something into it. */
function removeDirectory(fs: FileOps, directory: string): void {
  try {
    fs.rmdirSync(directory);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function write(fs: FileOps, path: string, text: string, durable: boolean): void {
  const file = fs.openSync(path, 'wx', 0o600);
  try {
    fs.writeFileSync(file, text);
    if (durable) fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Names are durable when their directory is; Windows has no such thing to call. */
export function syncDirectory(fs: FileOps, directory: string): void {
  if (process.platform === 'win32') return;
  const file = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Left for the next time.
  }
}

export function missingAncestors(fs: FileOps, directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; !exists(fs, at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}
