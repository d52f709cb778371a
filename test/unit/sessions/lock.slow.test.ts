/** The lock of a session, tested with real processes. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionStore } from '../../../src/sessions/store.ts';
import type { LockOrder } from '../../support/lock-child.ts';

const CHILD = join(import.meta.dirname, '../../support/lock-child.ts');
const ROUNDS = Number(process.env.KEDGE_LOCK_ROUNDS ?? 100);
const PROCESSES = 4;

describe('the lock of a session', () => {
  let directory: string;
  let lock: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-lock-'));
    lock = join(directory, 's.lock');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** The id of a process that has ended. */
  const ended = () => spawnSync(process.execPath, ['--version']).pid;
  const inUse = () => new SessionStore(directory).log('s').inUse();

  it('is taken over by one of several processes that find it at the same moment', async function () {
    this.timeout(600_000);
    const children = Array.from({ length: PROCESSES }, () => fork(CHILD, [directory]));
    try {
      await Promise.all(children.map((child) => once(child, 'message')));
      const ask = async (child: ChildProcess, order: LockOrder) => {
        const said = once(child, 'message');
        child.send(order);
        return (await said)[0] as unknown;
      };
      const gone = String(ended());
      // Lock files as left by a killed process in this or an older version, partially written, or with an id that another process has now;
      // or no file.
      const left = [gone, '', `${gone} 1/1 ${crypto.randomUUID()}`, `${process.pid} an-earlier-start ${crypto.randomUUID()}`, undefined];
      for (let round = 0; round < ROUNDS; round++) {
        const content = left[round % left.length];
        if (content !== undefined) await writeFile(lock, content);
        const at = Date.now() + 3;
        const won = await Promise.all(children.map((child) => ask(child, { at })));
        assert.equal(won.filter((each) => each === true).length, 1, `round ${round}: ${won.join(' ')}`);
        assert.equal(await ask(children[won.indexOf(true)] as ChildProcess, 'unlock'), 'unlocked');
      }
      assert.deepEqual(await readdir(directory), [], 'nothing is left behind');
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

  it('can be taken after a process was killed at any point of taking it', async function () {
    this.timeout(120_000);
    const gone = String(ended());
    for (let at = 0; ; at++) {
      await writeFile(lock, gone);
      const { signal, status } = spawnSync(process.execPath, [CHILD, directory, String(at)]);
      if (signal === null) {
        assert.equal(status, 0);
        assert.ok(at > 5, 'it was killed on its way');
        break;
      }
      assert.equal(inUse(), false);
      const log = new SessionStore(directory).log('s');
      assert.equal(log.lock(), true, `killed before call ${at}`);
      assert.match(await readFile(lock, 'utf8'), new RegExp(`^${process.pid} `));
      log.unlock();
    }
  });

  it('of a process that has ended is free, even if another process has its id now', async () => {
    await mkdir(directory, { recursive: true });
    const log = new SessionStore(directory).log('s');
    assert.equal(log.lock(), true);
    const [, startedAt = ''] = (await readFile(lock, 'utf8')).split(' ');
    log.unlock();
    if (process.platform !== 'win32') assert.notEqual(startedAt, '-');
    await writeFile(lock, `${process.ppid} ${startedAt}0 x`);
    assert.equal(inUse(), startedAt === '-');
    await writeFile(lock, `${process.ppid}`);
    assert.equal(inUse(), true, 'an older version did not say when it was started');
  });

  it('is released when it was unlocked as often as it was taken', async () => {
    const [one, two] = [new SessionStore(directory).log('s'), new SessionStore(directory).log('s')];
    assert.deepEqual([one.lock(), one.lock(), two.lock()], [true, true, true]);
    one.unlock();
    two.unlock();
    two.unlock();
    assert.deepEqual(await readdir(directory), ['s.lock']);
    one.unlock();
    assert.deepEqual(await readdir(directory), []);
  });
});
