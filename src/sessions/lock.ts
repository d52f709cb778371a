/**
 * A file that one process at a time holds. It names its process, so that a lock whose process has ended can be taken over.
 *
 * A lock appears with its content in one step (a hard link), so that nobody reads half of one. Of several processes that find a lock whose
 * process has ended, one may replace it: the one that holds a guard for exactly that lock, which is a lock in the same way, and that then
 * still finds the same lock.
 */
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { isRunning, ownProcess } from './processes.ts';

/** A file system without second names for files says so in one of these ways. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL']);
/** A lock may be released and taken again while it is looked at. */
const ATTEMPTS = 10;

/** What this process holds, and how often. */
const held = new Map<string, { content: string; count: number }>();

/** Whether another process that still runs holds it. */
export function isLockedByOther(path: string): boolean {
  const content = contentOf(path);
  return content !== undefined && belongsToOther(path, content);
}

/** Takes the lock; for a process that holds it already, once more. @returns false where another process holds it. */
export function takeLock(path: string): boolean {
  const known = held.get(path);
  if (known) known.count++;
  else {
    const { pid, startedAt } = ownProcess();
    const content = [pid, startedAt ?? '-', crypto.randomUUID()].join(' ');
    if (!claim(path, path, content)) return false;
    held.set(path, { content, count: 1 });
  }
  return true;
}

export function releaseLock(path: string): void {
  const known = held.get(path);
  if (!known || --known.count > 0) return;
  held.delete(path);
  if (contentOf(path) === known.content) rmSync(path, { force: true });
}

/** `guarded` is the lock that all guards of this one are named after. */
function claim(path: string, guarded: string, content: string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(path, content)) return true;
    const found = contentOf(path);
    if (found === undefined) continue;
    if (belongsToOther(path, found)) return false;
    const guard = `${guarded}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
    if (!claim(guard, guarded, content)) return false;
    try {
      if (contentOf(path) === found) return replace(path, content);
    } finally {
      rmSync(guard, { force: true });
    }
  }
  return false;
}

/** @returns false where there is one already. */
function create(path: string, content: string): boolean {
  return withTemporary(path, content, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (!NO_LINKS.has(code ?? '')) throw error;
      return createWithoutLinks(path, content);
    }
  });
}

/** Somebody may read it before its content is there, and take it for one whose process has ended: no better can be done without links. */
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
  const [id = '', startedAt] = content.split(' ');
  const pid = Number(id);
  if (pid === process.pid) return false;
  const isDated = startedAt !== undefined && startedAt !== '-';
  return isRunning({ pid, ...(isDated && { startedAt }) }) && (isDated || isSinceBoot(path));
}

/** A process id from before the computer was started belongs to somebody else by now. */
function isSinceBoot(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - uptime() * 1000;
}
