/** A file system that calls a function before, or instead of, each of its operations. */
import nodeFs from 'node:fs';
import type { FileOps } from '../../src/hosts/node/files/writer-journal.ts';

const NAMES = [
  ...(['closeSync', 'copyFileSync', 'fchmodSync', 'fchownSync', 'fsyncSync', 'linkSync', 'lstatSync', 'mkdirSync', 'openSync'] as const),
  ...(['readdirSync', 'readFileSync', 'renameSync', 'rmdirSync', 'unlinkSync', 'writeFileSync'] as const),
];

type Call = () => unknown;

/** `around` receives the number of the operation, from 0, and a function that executes it. */
export function watchedFs(around: (index: number, name: string, call: Call) => unknown): FileOps {
  let count = 0;
  const watched =
    (name: string, real: (...args: never[]) => unknown) =>
    (...args: never[]): unknown =>
      around(count++, name, () => real(...args));
  const ops = Object.fromEntries(NAMES.map((name) => [name, watched(name, nodeFs[name] as never)]));
  // A sync is only counted, because real syncs are slow and no test simulates a power failure.
  ops.fsyncSync = watched('fsyncSync', () => undefined);
  const native = watched('realpathSync', nodeFs.realpathSync.native as never);
  return { ...ops, realpathSync: Object.assign(native, { native }) } as unknown as FileOps;
}

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk said so`), { code });
}

/**
 * Returns a file system in which one operation fails. With `forGood`, all later operations fail as well. With `late`, the operation is
 * executed and then fails.
 */
export function failingFs(at: number, { code = 'EIO', forGood = false, late = false } = {}): FileOps {
  return watchedFs((index, _, call) => {
    if (forGood ? index < at : index !== at) return call();
    if (late && index === at) call();
    throw diskError(code);
  });
}
