/** Does work that only one process may do at a time, such as renewing tokens that are valid once. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { releaseLock, takeLock } from '../../sessions/lock.ts';

/** How often a lock of another process is tried again, in milliseconds. */
const RETRY_MS = 50;
/** A process that holds a lock for longer is assumed to hang. */
const WAIT_MS = 60_000;

/** The latest work for each lock file in this process. A process can take a lock file several times, so it needs its own order. */
const latest = new Map<string, Promise<unknown>>();

/** Returns a function that waits until no other work with the same key is done, in any process that uses the folder, and does the work. */
export function exclusiveIn(folder: string): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  return async (key, work) => {
    const file = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 16)}.lock`);
    const before = latest.get(file);
    const own = (async () => {
      await before?.catch(() => undefined);
      return withLock(file, work);
    })();
    latest.set(file, own);
    try {
      return await own;
    } finally {
      if (latest.get(file) === own) latest.delete(file);
    }
  };
}

async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(file, '..'), { recursive: true });
  const started = performance.now();
  while (!takeLock(file)) {
    if (performance.now() - started > WAIT_MS) return work();
    await delay(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    releaseLock(file);
  }
}
