/** Makes a directory of this computer behave as if it were on a network drive, for this process only. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/**
 * `no links`: the drive has no hard links. `link told twice`: a link is made, and reported as existing. `open is busy`: a file that this process
 * has open is neither renamed nor replaced. `busy`: no file is ever replaced. `stale once`: after some writes, the handle of a log becomes
 * stale. `coarse times`: times have a step of two seconds. `no inodes`: all files have the same inode. `late bytes`: the size of a file grows
 * before its bytes can be read.
 */
export type Quirk = 'no links' | 'link told twice' | 'open is busy' | 'busy' | 'stale once' | 'coarse times' | 'no inodes' | 'late bytes';

const SMB: readonly Quirk[] = ['no links', 'open is busy', 'coarse times', 'no inodes'];
const NFS: readonly Quirk[] = ['link told twice', 'stale once', 'late bytes'];
export const DRIVES: Readonly<Record<string, readonly Quirk[]>> = { SMB, NFS, 'a drive that replaces no file': ['no links', 'busy'] };

const WRITES_BEFORE_STALE = 3;
const STEP_MS = 2_000;

type Operation = (...args: never[]) => unknown;
type Stats = { ino: number; mtimeMs: number };

/** Only what is below `directory` is affected. The functions of `node:fs` are restored when the result is disposed. */
export function networkDisk(directory: string, quirks: readonly Quirk[]): Disposable & { met: ReadonlySet<Quirk> } {
  const has = (quirk: Quirk) => quirks.includes(quirk);
  const real = { ...fs };
  const realPromises = { ...fs.promises };
  const open = new Map<number, string>();
  const writes = new Map<number, number>();
  const stale = new Set<number>();
  const wasStale = new Set<string>();
  const met = new Set<Quirk>();
  const isBelow = (path: unknown) => String(path).startsWith(directory);
  const fail = (quirk: Quirk, code: string, syscall: string, path?: string): never => {
    met.add(quirk);
    throw Object.assign(new Error(`${code}: the drive said so, ${syscall}`), { code, syscall, ...(path !== undefined && { path }) });
  };
  const coarse = <T>(stats: T): T => {
    const changed = stats as (T & Stats) | undefined;
    if (changed && has('coarse times')) {
      met.add('coarse times');
      changed.mtimeMs = Math.floor(changed.mtimeMs / STEP_MS) * STEP_MS;
    }
    if (changed && has('no inodes')) {
      met.add('no inodes');
      changed.ino = 0;
    }
    return stats;
  };
  const expectFree = (from: string, to: string) => {
    if (has('busy') && real.existsSync(to)) fail('busy', 'EACCES', 'rename', from);
    if (has('open is busy') && [...open.values()].some((path) => path === from || path === to))
      fail('open is busy', 'EBUSY', 'rename', from);
  };
  const expectFresh = (handle: number) => {
    if (stale.has(handle)) fail('stale once', 'ESTALE', 'write');
    const path = open.get(handle) ?? '';
    const count = (writes.get(handle) ?? 0) + 1;
    writes.set(handle, count);
    if (!has('stale once') || !path.endsWith('.jsonl') || count <= WRITES_BEFORE_STALE || wasStale.has(path)) return;
    wasStale.add(path);
    stale.add(handle);
    fail('stale once', 'ESTALE', 'write');
  };
  const restores: (() => void)[] = [];
  const replace = <T extends object>(object: T, name: keyof T & string, by: Operation) => {
    const before = object[name];
    Object.assign(object, { [name]: by });
    restores.push(() => Object.assign(object, { [name]: before }));
  };

  replace(fs, 'linkSync', (from: string, to: string) => {
    if (!isBelow(to)) return real.linkSync(from, to);
    if (has('no links')) fail('no links', 'EPERM', 'link', from);
    real.linkSync(from, to);
    if (has('link told twice')) fail('link told twice', 'EEXIST', 'link', from);
  });
  replace(fs, 'renameSync', (from: string, to: string) => {
    if (isBelow(to)) expectFree(from, to);
    real.renameSync(from, to);
  });
  replace(fs.promises, 'rename', async (from: string, to: string) => {
    if (isBelow(to)) expectFree(from, to);
    await realPromises.rename(from, to);
  });
  replace(fs.promises, 'open', async (path: string, ...more: [string, number]) => {
    const handle = await realPromises.open(path, ...more);
    if (!isBelow(path)) return handle;
    const stat = handle.stat.bind(handle) as () => Promise<Stats>;
    return Object.assign(handle, { stat: async () => coarse(await stat()) });
  });
  replace(fs, 'openSync', (path: string, ...more: [string, number]) => {
    const handle = real.openSync(path, ...more);
    if (isBelow(path)) open.set(handle, path);
    return handle;
  });
  replace(fs, 'closeSync', (handle: number) => {
    real.closeSync(handle);
    for (const each of [open, writes]) each.delete(handle);
    // The handle is closed anyway.
    if (stale.delete(handle)) fail('stale once', 'ESTALE', 'close');
  });
  replace(fs, 'writeSync', (handle: number, ...more: [string]) => {
    if (open.has(handle)) expectFresh(handle);
    return real.writeSync(handle, ...more);
  });
  replace(fs, 'readSync', (handle: number, buffer: Uint8Array, offset: number, length: number, position: number) => {
    const path = open.get(handle);
    if (!has('late bytes') || !path || basename(path) !== 'late.jsonl') return real.readSync(handle, buffer, offset, length, position);
    met.add('late bytes');
    const part = Math.floor((length * 3) / 4);
    return real.readSync(handle, buffer, offset, part, position);
  });
  replace(fs, 'statSync', (path: string, ...more: []) => {
    const stats = real.statSync(path, ...more);
    return isBelow(path) ? coarse(stats) : stats;
  });
  replace(fs, 'fstatSync', (handle: number, ...more: []) => {
    const stats = real.fstatSync(handle, ...more);
    return open.has(handle) ? coarse(stats) : stats;
  });
  syncBuiltinESMExports();
  return {
    met,
    [Symbol.dispose]() {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
    },
  };
}
