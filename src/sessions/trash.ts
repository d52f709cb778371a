/** Deleted sessions are kept in a trash beside the other sessions, so that they can be restored, and are removed after some days. */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './directory.ts';
import { INDEX, listSessions, type SessionInfo } from './session-list.ts';

export const TRASH = '.trash';
export const TRASH_DAYS = 14;
const DAY_MS = 86_400_000;

export type DeletedSession = SessionInfo & { deletedAt: number };

/** Moves everything that belongs to a session into the trash. The lock of its log must be held. @returns false if there is no such session */
export function moveToTrash(directory: string, id: string, now = Date.now()): boolean {
  const names = filesOf(directory, id);
  if (names.length === 0) return false;
  const place = join(directory, TRASH, id);
  makeDirectory(place);
  // The log comes first: if another program has it open on a network drive, it cannot be moved, and the session stays as it is.
  const isLog = (name: string) => name === `${id}.jsonl`;
  try {
    for (const name of names.sort((a, b) => Number(isLog(b)) - Number(isLog(a)))) renameSync(join(directory, name), join(place, name));
  } catch (error) {
    if (readdirSync(place).length === 0) rmdirSync(place);
    throw error;
  }
  rmSync(join(directory, INDEX, `${id}.text`), { force: true });
  // The modification time of the folder records the time of deletion.
  utimesSync(place, new Date(now), new Date(now));
  return true;
}

/** Moves a session out of the trash. @returns false if it is not there, or if there is a session with this id */
export function restoreFromTrash(directory: string, id: string): boolean {
  const place = join(directory, TRASH, id);
  const names = filesOf(place, id);
  if (names.length === 0 || existsSync(join(directory, `${id}.jsonl`))) return false;
  // The log comes last: only then does the session exist again.
  for (const name of names.sort((a, b) => Number(a.endsWith('.jsonl')) - Number(b.endsWith('.jsonl'))))
    renameSync(join(place, name), join(directory, name));
  rmSync(place, { recursive: true, force: true });
  return true;
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
  rmSync(join(directory, TRASH, id), { recursive: true, force: true });
}

/** Returns the names of the log, its damaged copies and all other files that are named after the session. Locks are not included. */
function filesOf(directory: string, id: string): string[] {
  return namesIn(directory).filter((name) => name.startsWith(`${id}.`) && !/^\.lock(\.|$)/.test(name.slice(id.length)));
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
