/**
 * `node --import full-disk.ts program` with KEDGE_DISK_FULL_AT: from the operation with this number, every operation of the program that
 * needs disk space fails. The operation itself still writes half of its bytes. At its end, the program reports the number of its operations
 * in the file KEDGE_DISK_OPERATIONS.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const full = Number(process.env.KEDGE_DISK_FULL_AT ?? 0);
const report = process.env.KEDGE_DISK_OPERATIONS;
const STANDARD_STREAMS = 2;
const { writeFileSync } = fs;
let count = 0;

type Operation = (...args: never[]) => unknown;

const half = (data: unknown) => {
  if (typeof data === 'string') return data.slice(0, data.length / 2);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, Math.floor(data.byteLength / 2)) : undefined;
};

/** The operation that fails first gets half of its data. `data` is the index of the argument with the data. */
function limited(name: string, real: Operation, data: number | undefined): Operation {
  return function (this: unknown, ...args: never[]) {
    if (name === 'writeSync' && Number(args[0]) <= STANDARD_STREAMS) return real.apply(this, args);
    if (++count < full || full === 0) return real.apply(this, args);
    const part = data === undefined || count > full ? undefined : half(args[data]);
    // The other arguments of writeSync apply to the complete data.
    if (part !== undefined && data !== undefined)
      real.apply(this, (name === 'writeSync' ? [args[0], part] : args.with(data, part as never)) as never[]);
    const error = Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC', syscall: name });
    if (name.startsWith('promises.')) return Promise.reject(error);
    throw error;
  };
}

function limit(object: Record<string, unknown>, prefix: string, names: Record<string, number | undefined>): void {
  for (const [name, data] of Object.entries(names)) object[name] = limited(`${prefix}${name}`, object[name] as Operation, data);
}

limit(fs as never, '', { writeSync: 1, writeFileSync: 1, appendFileSync: 1, copyFileSync: undefined, mkdirSync: undefined });
limit(fs as never, '', { linkSync: undefined, symlinkSync: undefined });
limit(fs.promises as never, 'promises.', { writeFile: undefined, appendFile: undefined, copyFile: undefined, mkdir: undefined });
syncBuiltinESMExports();
process.once('exit', () => report && writeFileSync(report, String(count)));
