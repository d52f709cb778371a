/**
 * A lock file that one process at a time can hold. It contains the id of its process, so that a lock left by a process that has ended can
 * be replaced.
 *
 * A lock of another computer, on a network drive, is valid while its file was modified recently. Each process writes its lock files again
 * regularly. Only the clock of the drive counts, because the clocks of computers differ.
 *
 * A lock file is created with its content in one step (as a hard link), so that no process can read a partial one. If several processes
 * find a stale lock, only one of them may replace it: it must first take a guard (a second lock file, named after the stale content) and
 * then find the lock unchanged.
 */
import { createHash } from 'node:crypto';
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { isRunning, ownComputer, ownProcess } from './processes.ts';

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL']);
/** The maximum number of attempts to take a lock. An attempt fails if the lock is released and taken again while it is examined. */
const ATTEMPTS = 10;

/** How often this process renews its lock files, and the age at which a lock of another computer is abandoned, in milliseconds. */
const REFRESH_MS = 30_000;
const ABANDONED_MS = 180_000;

/** The locks that this process holds, and how many times it has taken each. */
const heldLocks = new Map<string, { content: string; count: number }>();
/** The contents of released locks whose files could not be removed yet. */
const releasedLocks = new Map<string, string>();
let refreshing: NodeJS.Timeout | undefined;

/** Returns true if another running process holds the lock. */
export function isLockedByOther(path: string): boolean {
  const content = contentOf(path);
  return content !== undefined && belongsToOther(path, content);
}

/** Takes the lock. A process that already holds the lock can take it again. @returns false if another process holds it */
export function takeLock(path: string): boolean {
  const heldLock = heldLocks.get(path);
  if (heldLock) heldLock.count++;
  else {
    const { pid, startedAt } = ownProcess();
    const content = [pid, startedAt ?? '-', crypto.randomUUID(), ownComputer()].join(' ');
    if (!claim(path, path, content)) return false;
    heldLocks.set(path, { content, count: 1 });
    refreshing ??= setInterval(refreshLocks, REFRESH_MS).unref();
  }
  return true;
}

/** If the lock file cannot be removed now, this is tried again regularly. */
export function releaseLock(path: string): void {
  const heldLock = heldLocks.get(path);
  if (!heldLock || --heldLock.count > 0) return;
  heldLocks.delete(path);
  remove(path, heldLock.content);
  stopRefreshing();
}

function remove(path: string, content: string): void {
  releasedLocks.delete(path);
  try {
    if (readFileSync(path, 'utf8') === content) rmSync(path, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') releasedLocks.set(path, content);
  }
}

function stopRefreshing(): void {
  if (heldLocks.size + releasedLocks.size > 0) return;
  clearInterval(refreshing);
  refreshing = undefined;
}

/** Tells other computers that this process still holds its locks. */
export function refreshLocks(): void {
  for (const [path, content] of releasedLocks) remove(path, content);
  stopRefreshing();
  for (const [path, { content }] of heldLocks) {
    try {
      const handle = openSync(path, 'r+');
      try {
        // Writing sets the time by the clock of the drive.
        if (readFileSync(handle, 'utf8') === content) writeSync(handle, content, 0);
      } finally {
        closeSync(handle);
      }
    } catch {
      // The next call tries again, long before the lock becomes stale.
    }
  }
}

/** `guarded` is the path of the lock from which the names of its guards are derived. */
function claim(path: string, guarded: string, content: string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(path, content)) return true;
    const currentContent = contentOf(path);
    if (currentContent === undefined) continue;
    if (belongsToOther(path, currentContent)) return false;
    const guard = `${guarded}.${createHash('sha256').update(currentContent).digest('hex').slice(0, 16)}`;
    if (!claim(guard, guarded, content)) return false;
    try {
      if (contentOf(path) === currentContent) return replace(path, content);
    } finally {
      rmSync(guard, { force: true });
    }
  }
  return false;
}

/** Creates a lock file. @returns false if it already exists */
function create(path: string, content: string): boolean {
  return withTemporary(path, content, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // On NFS, if the confirmation of a new link is lost, the request is repeated and reports that the link exists.
      if (code === 'EEXIST') return contentOf(path) === content;
      if (!NO_LINKS.has(code ?? '')) throw error;
      return createWithoutLinks(path, content);
    }
  });
}

/** Without hard links, another process may read the file before its content is written and treat it as stale. */
function createWithoutLinks(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  return contentOf(path) === content;
}

function replace(path: string, content: string): boolean {
  return withTemporary(path, content, (temporary) => {
    try {
      renameSync(temporary, path);
      return true;
    } catch {
      return false;
    }
  });
}

function withTemporary<T>(path: string, content: string, use: (temporary: string) => T): T {
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function belongsToOther(path: string, content: string): boolean {
  const [id = '', startedAt, , computer = ownComputer()] = content.split(' ');
  const pid = Number(id);
  const upMs = uptime() * 1000;
  // A computer that was just started most likely finds locks of its own, which its crash has left.
  if (computer !== ownComputer()) return isYounger(path, Math.min(ABANDONED_MS, Math.max(2 * REFRESH_MS, upMs)));
  if (pid === process.pid) return false;
  const isDated = startedAt !== undefined && startedAt !== '-';
  // The process id in a lock from before the start of the system may belong to another process.
  return isRunning({ pid, ...(isDated && { startedAt }) }) && (isDated || isYounger(path, upMs));
}

/** Returns whether the lock was written in the last `ms`. */
function isYounger(path: string, ms: number): boolean {
  const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return at !== undefined && timeAt(path) - at < ms;
}

/** Returns the time of the drive, or that of this computer if nothing can be written to the drive. */
function timeAt(path: string): number {
  try {
    return withTemporary(path, '', (temporary) => statSync(temporary).mtimeMs);
  } catch {
    return Date.now();
  }
}
