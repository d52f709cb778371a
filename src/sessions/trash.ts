/** Deleted sessions are kept in a trash beside the other sessions, so that they can be restored, and are removed after some days. */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './directory.ts';
import { releaseLock, takeLock } from './lock.ts';
import { INDEX, listSessions, type SessionInfo } from './session-list.ts';

export const TRASH = '.trash';
export const TRASH_DAYS = 14;
const DAY_MS = 86_400_000;

export type DeletedSession = SessionInfo & { deletedAt: number };

/**
 * Moves everything that belongs to a session into the trash. The lock of its log must be held. The session is deleted when its log is moved.
 * `completeDeletions` moves what is left then, because this process ends or another program has a file open.
 * @returns false if there is no such session
 * @throws Error of the file system if the log cannot be moved. The session then stays as it is.
 */
export function moveToTrash(directory: string, id: string, now = Date.now()): boolean {
  const names = filesIn(namesIn(directory), id);
  if (names.length === 0) return false;
  const place = join(directory, TRASH, id);
  makeDirectory(place);
  const log = `${id}.jsonl`;
  try {
    if (names.includes(log)) renameSync(join(directory, log), join(place, log));
  } catch (error) {
    if (readdirSync(place).length === 0) rmdirSync(place);
    throw error;
  }
  for (const name of names) if (name !== log) moveIfPossible(directory, place, name);
  rmSync(join(directory, INDEX, `${id}.text`), { force: true });
  // The modification time of the folder records the time of deletion.
  utimesSync(place, new Date(now), new Date(now));
  return true;
}

/** Returns the names of files whose session is in the trash, because its deletion was interrupted. */
export function leftovers(directory: string): string[] {
  const names = namesIn(directory);
  return idsIn(directory).flatMap((id) => leftoversOf(directory, id, names));
}

function leftoversOf(directory: string, id: string, names = namesIn(directory)): string[] {
  return isInTrash(directory, id) ? filesIn(names, id) : [];
}

/** Returns whether a session can be restored. */
export function isInTrash(directory: string, id: string): boolean {
  const log = `${id}.jsonl`;
  return existsSync(join(directory, TRASH, id, log)) && !existsSync(join(directory, log));
}

/** Moves the files whose session is in the trash after it. A file that cannot be moved is moved the next time. */
export function completeDeletions(directory: string): void {
  const names = namesIn(directory);
  for (const id of idsIn(directory)) {
    if (leftoversOf(directory, id, names).length === 0) continue;
    const place = join(directory, TRASH, id);
    try {
      whileLocked(directory, id, () => {
        const { atime, mtime } = statSync(place);
        for (const name of leftoversOf(directory, id)) moveIfPossible(directory, place, name);
        utimesSync(place, atime, mtime);
      });
    } catch {
      // Another process is restoring the session.
    }
  }
}

function moveIfPossible(from: string, to: string, name: string): void {
  try {
    renameSync(join(from, name), join(to, name));
  } catch {
    // On a network drive, another program may have the file open.
  }
}

/**
 * Moves a session out of the trash. @returns false if it is not there, or if there is a session with this id
 * @throws Error of the file system if a file cannot be moved. The session then stays in the trash.
 */
export function restoreFromTrash(directory: string, id: string): boolean {
  const place = join(directory, TRASH, id);
  const log = `${id}.jsonl`;
  return whileLocked(directory, id, () => {
    const names = filesIn(namesIn(place), id);
    if (names.length === 0 || existsSync(join(directory, log))) return false;
    // The log comes last: only then does the session exist again.
    for (const name of names.sort((a, b) => Number(a === log) - Number(b === log))) renameSync(join(place, name), join(directory, name));
    rmSync(place, { recursive: true, force: true });
    return true;
  });
}

/** @throws Error if another process deletes or restores the session */
function whileLocked<T>(directory: string, id: string, work: () => T): T {
  const lock = join(directory, `${id}.lock`);
  if (!takeLock(lock)) throw new Error(`The session ${id} is in use in another window or process. Try again.`);
  try {
    return work();
  } finally {
    releaseLock(lock);
  }
}

/** Lists the deleted sessions, newest deletion first. */
export async function listTrash(directory: string): Promise<DeletedSession[]> {
  const all = await Promise.all(
    idsIn(directory).map(async (id) => {
      const place = join(directory, TRASH, id);
      const [info] = await listSessions(place, { remember: false });
      return info && { ...info, deletedAt: statSync(place).mtimeMs };
    }),
  );
  return all.filter((info) => info !== undefined).sort((a, b) => b.deletedAt - a.deletedAt);
}

/**
 * Returns the ids of the deleted sessions that have been in the trash long enough to be removed, or of all deleted sessions if `all` is
 * set.
 */
export function expiredInTrash(directory: string, { now = Date.now(), all = false } = {}): string[] {
  return idsIn(directory).filter((id) => all || now - statSync(join(directory, TRASH, id)).mtimeMs > TRASH_DAYS * DAY_MS);
}

/** Permanently deletes a session in the trash. */
export function removeFromTrash(directory: string, id: string): void {
  for (const name of leftoversOf(directory, id)) rmSync(join(directory, name), { force: true });
  rmSync(join(directory, TRASH, id), { recursive: true, force: true });
}

/** Returns the names of the log, its damaged copies and all other files that are named after the session. Locks are not included. */
function filesIn(names: readonly string[], id: string): string[] {
  return names.filter((name) => name.startsWith(`${id}.`) && !/^\.lock(\.|$)/.test(name.slice(id.length)));
}

function idsIn(directory: string): string[] {
  return namesIn(join(directory, TRASH)).filter((name) => /^[\w-]+$/.test(name));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
