/**
 * Records a change of several files before it begins, so that a killed process leaves no mixture of old and new files: the next start
 * undoes an incomplete change. A journal is `pending` until all files are written. Renaming it to `done` completes the change.
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

/** The file system functions that the writer uses. Tests replace them with functions that fail. */
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

/**
 * One file of a change. `temporary` is the path of its new content, and `backup` the path of its old content. `before` and `after` are
 * hashes. A hash is missing if the file does not exist at that time.
 */
export type Step = { file: string; directory?: boolean; temporary?: string; backup?: string; before?: string; after?: string };
/** `made` lists the directories that did not exist before the change, outer directories first. */
export type Entry = { made: string[]; steps: Step[] };
/** `startedAt` distinguishes the process from a later process with the same process id. */
type JournalFile = Entry & { startedAt?: string };

const PENDING = '.pending';
const DONE = '.done';
const LOOK_MS = 5;
const PATIENCE_MS = 10_000;
/** The journals of this process that are in use. */
const active = new Set<string>();

export class Journal {
  readonly #fs: FileOps;
  readonly #directory: string;

  constructor(fs: FileOps, directory: string) {
    this.#fs = fs;
    this.#directory = directory;
  }

  /**
   * Waits until no other process is writing to this workspace. Returns a function that releases the lock. @throws Error when another
   * process holds the lock for longer than `PATIENCE_MS`.
   */
  async lock(): Promise<() => void> {
    const path = `${this.#directory}.lock`;
    for (let waited = 0; !tryLock(path); waited += LOOK_MS) {
      if (waited >= PATIENCE_MS) throw new Error('Another Kedge process is still writing to this workspace. Try again later.');
      await delay(LOOK_MS);
    }
    return () => ignoreErrors(() => releaseLock(path));
  }

  /** Records a change, so that `recover` can undo it after a crash of the process and, with `durable`, after a crash of the computer. */
  begin(entry: Entry, durable: boolean): OpenJournal {
    const fs = this.#fs;
    fs.mkdirSync(this.#directory, { recursive: true });
    const id = `${process.pid}-${randomUUID()}`;
    const name = (state: string) => join(this.#directory, id + state);
    active.add(id);
    try {
      const { startedAt } = ownProcess();
      write(fs, name('.new'), JSON.stringify({ ...entry, ...(startedAt && { startedAt }) } satisfies JournalFile), durable);
      fs.renameSync(name('.new'), name(PENDING));
      if (durable) syncDirectory(fs, this.#directory);
    } catch (error) {
      for (const state of ['.new', PENDING]) ignoreErrors(() => remove(fs, name(state)));
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

  /**
   * Undoes incomplete changes and removes the leftovers of complete changes. A change that cannot be undone stays in the journal for the
   * next attempt.
   */
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
      ignoreErrors(() => this.#recoverOne(path, state));
    }
  }

  /** Renames the journal first, so that only one of two processes that find it at the same moment handles it. */
  #recoverOne(found: string, state: string): void {
    const fs = this.#fs;
    const path = join(this.#directory, `${process.pid}-${randomUUID()}${state}`);
    fs.renameSync(found, path);
    if (state === PENDING) undoChange(fs, JSON.parse(fs.readFileSync(path, 'utf8')));
    else if (state === DONE) removeLeftovers(fs, JSON.parse(fs.readFileSync(path, 'utf8')));
    remove(fs, path);
  }

  /**
   * Returns true if another process is still writing its change. After the computer restarts, the process id may belong to a different
   * process.
   */
  #lives(pid: number, path: string): boolean {
    if (pid === process.pid) return false;
    try {
      if (this.#fs.lstatSync(path).mtimeMs < Date.now() - uptime() * 1000) return false;
      const startedAt = (jsonIn(this.#fs.readFileSync(path, 'utf8')) as Partial<JournalFile> | undefined)?.startedAt;
      return isRunning({ pid, startedAt });
    } catch {
      return false;
    }
  }
}

export type OpenJournal = {
  /** Marks the change as complete. */
  commit(): void;
  /** Removes the journal, because nothing is left to do. */
  end(): void;
  /** Releases the journal. If the change is incomplete, the next `recover` undoes it. */
  leave(): void;
};

/** Returns true if the lock file cannot be created: creating the journal then fails too, with an error that explains the cause. */
function tryLock(path: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return takeLock(path);
  } catch {
    return true;
  }
}

/**
 * Restores every file except files that another program has changed since. It may be called again. @throws the first error, after all files
 * were tried.
 */
export function undoChange(fs: FileOps, { steps, made }: Entry): void {
  const failures: unknown[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failures.push(error);
    }
  };
  for (const step of steps.toReversed()) attempt(() => undoStep(fs, step));
  for (const directory of made.toReversed()) attempt(() => removeDirectory(fs, directory));
  if (failures.length > 0) throw failures[0];
}

function undoStep(fs: FileOps, { file, directory, temporary, backup, before, after }: Step): void {
  if (directory) {
    if (before !== undefined && !exists(fs, file)) fs.mkdirSync(file);
    return;
  }
  if (backup && exists(fs, backup)) {
    // A file with any other content was changed by another program and is not restored.
    if (hashAt(fs, file) === after) fs.renameSync(backup, file);
    remove(fs, backup);
  } else if (before === undefined && after !== undefined && isOurs(fs, file, temporary, after)) fs.unlinkSync(file);
  if (temporary) remove(fs, temporary);
}

/**
 * Returns true if Kedge created this file. On file systems with hard links, a file that Kedge created is a hard link to its temporary file.
 */
function isOurs(fs: FileOps, file: string, temporary: string | undefined, after: string): boolean {
  if (hashAt(fs, file) !== after) return false;
  const witness = temporary && fs.lstatSync(temporary, { throwIfNoEntry: false });
  return !witness || witness.ino === fs.lstatSync(file).ino;
}

/** Removes the temporary files and backups of a complete change. @throws the first error, after all files were tried. */
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

/** Returns undefined when nothing exists at the path. For anything but a regular file, returns a value that no hash equals. */
export function hashAt(fs: FileOps, path: string): string | undefined {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  return stats.isFile() ? hashOfBytes(fs.readFileSync(path)) : 'no file';
}

export function exists(fs: FileOps, path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function remove(fs: FileOps, path: string): void {
  if (exists(fs, path)) fs.unlinkSync(path);
}

/** Removes a directory unless it contains something. */
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

/** A new name is durable only when its directory was synced. Windows cannot sync a directory. */
export function syncDirectory(fs: FileOps, directory: string): void {
  if (process.platform === 'win32') return;
  const file = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

export function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The next recovery tries again.
  }
}

export function missingAncestors(fs: FileOps, directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; !exists(fs, at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}
