/**
 * The database file of a collection: one process at a time writes it, and any number of processes read it meanwhile without waiting.
 *
 * The writer holds a lock of its own (`src/sessions/lock.ts`) and appends to the write-ahead log of SQLite, so that each document changes in
 * one transaction. The database file itself changes only while the writer publishes, which the file `generation` announces before and
 * confirms afterwards. A reader opens the file by a hard link in a directory of its own, where it has neither the log nor the locks of the
 * writer, and repeats a query during which the generation has changed. If the writer is killed while it publishes, the next process completes it from the log.
 */
import { copyFileSync, linkSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sqlite, { type Database } from 'node-sqlite3-wasm';
import { makeDirectory, replaceFile } from '../../sessions/directory.ts';
import { isLockedByOther, releaseLock, takeLock } from '../../sessions/lock.ts';
import { CollectionBusy } from '../collections.ts';
import { SCHEMA, VERSION } from './schema.ts';

const CACHE = 'pragma cache_size = -8000';
/** The size of the log at which the writer publishes, in bytes. */
const MAX_LOG = 24_000_000;
const RETRY_MS = 5;
const MAX_TRIES = 2_000;
const ABANDONED_MS = 3_600_000;

const paths = (directory: string) => ({
  file: join(directory, 'index.db'),
  lock: join(directory, 'update.lock'),
  generation: join(directory, 'generation'),
  readers: join(directory, 'readers'),
});

const writing = new Set<string>();

/** Returns true if this or another process is writing the database in the directory. */
export function isBeingWritten(directory: string): boolean {
  return writing.has(directory) || isLockedByOther(paths(directory).lock);
}

export class IndexWriter {
  readonly db: Database;
  readonly #directory: string;
  #generation: number;

  /**
   * @param anew whether to make a new index instead of the existing one
   * @param schema the tables, if the database is not the index of a collection
   * @throws CollectionBusy if another process is writing
   */
  constructor(directory: string, { anew = false, schema = INDEX_SCHEMA } = {}) {
    this.#directory = directory;
    makeDirectory(directory);
    const { file, lock } = paths(directory);
    // A process can take its own lock again, so the writers of this process are known by their directories.
    if (writing.has(directory) || !takeLock(lock)) throw new CollectionBusy('This collection is being updated. Wait until that has ended.');
    writing.add(directory);
    try {
      this.#generation = generationOf(directory).number;
      // Only the holder of the lock opens the file by this name, so SQLite's lock was left by a process that was killed.
      rmSync(`${file}.lock`, { recursive: true, force: true });
      removeAbandoned(paths(directory).readers);
      if (anew) removeIndex(file);
      this.db = openForWriting(file, schema);
      if (generationOf(directory).state !== 'ready') this.publish();
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Runs `write` completely or not at all. One transaction must end before the next one begins. */
  async transaction(write: () => void | Promise<void>): Promise<void> {
    this.db.exec('begin immediate');
    try {
      await write();
      this.db.exec('commit');
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('rollback');
      throw error;
    }
    const log = statSync(`${paths(this.#directory).file}-wal`, { throwIfNoEntry: false });
    if (log && log.size > MAX_LOG) this.publish();
  }

  /** Makes everything that was written visible to the readers. */
  publish(): void {
    const { generation } = paths(this.#directory);
    this.#generation++;
    replaceFile(generation, `publishing ${this.#generation}`);
    this.db.get('pragma wal_checkpoint(truncate)');
    replaceFile(generation, `ready ${this.#generation}`);
  }

  close(): void {
    try {
      this.publish();
    } finally {
      this.db.close();
      this.#release();
    }
  }

  #release(): void {
    writing.delete(this.#directory);
    releaseLock(paths(this.#directory).lock);
  }
}

const INDEX_SCHEMA = { version: VERSION, sql: SCHEMA };

function openForWriting(file: string, schema: typeof INDEX_SCHEMA): Database {
  try {
    return prepared(file, schema);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(file);
    return prepared(file, schema);
  }
}

/** Returns true if an index must be made again from the sources. */
export function isDamage(error: unknown): boolean {
  return /malformed|not a database|disk image|different version/.test((error as Error).message);
}

function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-journal']) rmSync(file + suffix, { force: true });
  rmSync(`${file}.lock`, { recursive: true, force: true });
}

function prepared(file: string, { version: current, sql }: typeof INDEX_SCHEMA): Database {
  const db = new sqlite.Database(file);
  try {
    db.exec('pragma locking_mode = exclusive');
    db.get('pragma journal_mode = wal');
    db.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = 0; ${CACHE}`);
    const version = db.get('pragma user_version')?.user_version;
    if (version === 0) db.exec(`begin immediate; ${sql} commit;`);
    else if (version !== current) throw new Error('The index has a different version.');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Reads a collection. The database stays open until `close`, and is opened again when something new was published. */
export class IndexReader {
  readonly #directory: string;
  readonly #recover: (directory: string) => void | Promise<void>;
  #open: { db: Database; generation: number; alias: string } | undefined;

  /** @param recover completes what a killed writer began to publish */
  constructor(directory: string, recover: (directory: string) => void | Promise<void> = recoverIndex) {
    this.#directory = directory;
    this.#recover = recover;
  }

  /** Returns undefined if nothing was indexed yet. `query` may be called again, and must not keep the database. */
  async read<T>(query: (db: Database) => T, signal?: AbortSignal): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      signal?.throwIfAborted();
      const { state, number } = generationOf(this.#directory);
      if (state === 'none') return undefined;
      if (state === 'publishing') await this.#recover(this.#directory);
      else {
        try {
          const result = query(this.#database(number));
          if (this.#isCurrent(number)) return result;
        } catch (error) {
          // While the file changes, a query may see a part of the changes.
          this.close();
          if (this.#isCurrent(number) || tries > MAX_TRIES) throw error;
        }
      }
      if (tries > MAX_TRIES) throw new CollectionBusy('The collection is being updated. Try again later.');
      await delay(RETRY_MS);
    }
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    try {
      open?.db.close();
    } finally {
      if (open) rmSync(open.alias, { recursive: true, force: true });
    }
  }

  #isCurrent(number: number): boolean {
    const now = generationOf(this.#directory);
    return now.state === 'ready' && now.number === number;
  }

  #database(generation: number): Database {
    if (this.#open?.generation === generation) return this.#open.db;
    this.close();
    const { file, readers } = paths(this.#directory);
    const alias = join(readers, crypto.randomUUID());
    makeDirectory(alias);
    try {
      const name = join(alias, 'index.db');
      link(file, name);
      const db = new sqlite.Database(name, { readOnly: true });
      this.#open = { db, generation, alias };
      db.exec(`pragma locking_mode = exclusive; ${CACHE}`);
      return db;
    } catch (error) {
      rmSync(alias, { recursive: true, force: true });
      throw error;
    }
  }
}

/** Completes what a killed writer began to publish. */
export function recoverIndex(directory: string): void {
  if (isBeingWritten(directory)) return;
  try {
    new IndexWriter(directory).close();
  } catch (error) {
    if (!(error instanceof CollectionBusy)) throw error;
  }
}

/** On file systems without hard links, readers have a copy. */
function link(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
    copyFileSync(file, name);
  }
}

type Generation = { state: 'none' | 'publishing' | 'ready'; number: number };

function generationOf(directory: string): Generation {
  try {
    const [state, number] = readFileSync(paths(directory).generation, 'utf8').split(' ');
    return { state: state === 'ready' ? 'ready' : 'publishing', number: Number(number) || 0 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { state: 'none', number: 0 };
  }
}

/** Removes the directories of readers that were killed. */
function removeAbandoned(readers: string): void {
  let names: string[];
  try {
    names = readdirSync(readers);
  } catch {
    return;
  }
  for (const name of names) {
    const stats = statSync(join(readers, name), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_MS) rmSync(join(readers, name), { recursive: true, force: true });
  }
}
