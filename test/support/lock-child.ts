/**
 * A process that takes and releases the lock of a session. Without a second argument, it does so on command. With one, it takes the lock
 * once and kills itself right before that file system call.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { SessionStore } from '../../src/sessions/store.ts';

export type LockOrder = { at: number } | 'unlock';

const [directory = '', killAt] = process.argv.slice(2);
const log = new SessionStore(directory).log('s');

if (killAt === undefined) {
  process.on('message', (order: LockOrder) => {
    if (order === 'unlock') {
      log.unlock();
      process.send?.('unlocked');
      return;
    }
    // All processes continue at the same moment.
    while (Date.now() < order.at);
    process.send?.(log.lock());
  });
  process.send?.('ready');
} else {
  let calls = 0;
  for (const name of ['linkSync', 'openSync', 'readFileSync', 'renameSync', 'rmSync', 'writeFileSync'] as const) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        if (calls++ === Number(killAt)) process.kill(process.pid, 'SIGKILL');
        return real(...args);
      },
    });
  }
  syncBuiltinESMExports();
  process.exit(log.lock() ? 0 : 1);
}
