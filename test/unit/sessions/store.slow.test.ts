import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { type SessionLog, SessionStore } from '../../../src/sessions/store.ts';
import { moveToTrash } from '../../../src/sessions/trash.ts';
import { answerAll, assistantOn } from '../../support/harness.ts';

const event = (seq: number, text = `turn ${seq}`): AgentEvent => ({
  type: 'plan_step',
  planId: text,
  step: 1,
  status: 'done',
  runId: 'r',
  seq,
  at: 0,
});
const started = (prompt: string): AgentEvent => ({
  type: 'run_started',
  mode: 'ask',
  prompt,
  model: { provider: 'p', model: 'm' },
  limits: { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 },
  runId: 'r',
  seq: 1,
  at: 0,
});

describe('the log of a session', () => {
  let directory: string;
  let store: SessionStore;
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'kedge-sessions-')), 'sessions');
    store = new SessionStore(directory);
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

  const file = (id: string) => join(directory, `${id}.jsonl`);
  function write(id: string, ...events: AgentEvent[]): void {
    writeTo(store.log(id), ...events);
  }
  function writeTo(log: SessionLog, ...events: AgentEvent[]): void {
    for (const each of events) log.append(each);
    log.close();
  }
  /** Continues a log as a session does: what is in it was read. */
  async function goOn(id: string, ...events: AgentEvent[]): Promise<void> {
    const log = store.log(id);
    await log.readAll(() => {});
    writeTo(log, ...events);
  }

  it('returns the appended events, line by line', async () => {
    const events = [event(1, 'ünï\ncode \u2028 🙂 \ud800'), event(2)];
    write('s', ...events);
    write('s', event(3));
    assert.deepEqual(await store.load('s'), [...events, event(3)]);
    assert.equal((await readFile(file('s'), 'utf8')).split('\n').length, 4);
  });

  it('is on disk as soon as it is appended to, and not before the first event', async () => {
    const log = store.log('s');
    await assert.rejects(readFile(file('s')));
    log.append(event(1));
    assert.deepEqual(await store.load('s'), [event(1)]);
    log.sync();
    log.close();
  });

  it('that does not exist is undefined', async () => {
    assert.equal(await store.load('none'), undefined);
  });

  it('loses only its last line if a crash cut it off, and can be written again', async () => {
    write('s', event(1), event(2));
    const whole = await readFile(file('s'));
    await appendFile(file('s'), Buffer.from(`${JSON.stringify(event(3))}\n`).subarray(0, 20));
    const torn = await readFile(file('s'));
    assert.deepEqual(await store.load('s'), [event(1), event(2)]);
    assert.deepEqual(await readFile(file('s')), torn, 'another process may be at it');
    await goOn('s', event(3));
    assert.deepEqual(await readFile(file('s')), Buffer.concat([whole, Buffer.from(`${JSON.stringify(event(3))}\n`)]));
    assert.deepEqual(await readFile(`${file('s')}.damaged`), torn);
    assert.deepEqual(await store.load('s'), [event(1), event(2), event(3)]);
  });

  it('keeps all other lines if one is damaged, and a copy of the damaged file', async () => {
    write('s', event(1), event(2), event(3));
    const lines = (await readFile(file('s'), 'utf8')).split('\n');
    lines[1] = '{"type":"plan_st\u0000\u0000';
    await writeFile(file('s'), lines.join('\n'));
    assert.deepEqual(await store.load('s'), [event(1), event(3)]);
    assert.equal(store.log('s').keepCopy(), `${file('s')}.damaged`);
    assert.equal(await readFile(`${file('s')}.damaged`, 'utf8'), lines.join('\n'));
  });

  it('is cut at the right byte, although the damage before it is not text', async () => {
    write('s', event(1), event(2));
    const good = await readFile(file('s'));
    const damaged = Buffer.concat([Buffer.from([0xff, 0xfe, 0x80, 0x0a]), good, Buffer.from('{"torn')]);
    await writeFile(file('s'), damaged);
    assert.deepEqual(await store.load('s'), [event(1), event(2)]);
    await goOn('s', event(3));
    assert.deepEqual(await readFile(`${file('s')}.damaged`), damaged);
    const added = Buffer.from(`${JSON.stringify(event(3))}\n`);
    assert.deepEqual(await readFile(file('s')), Buffer.concat([damaged.subarray(0, -6), added]));
    assert.deepEqual(await store.load('s'), [event(1), event(2), event(3)]);
  });

  it('that is cut off at any byte contains the events before it, also an event without its line break', async () => {
    const events = [event(1, 'ä'), event(2, '🙂\n'), event(3)];
    write('whole', ...events);
    const bytes = await readFile(file('whole'));
    for (let length = 0; length <= bytes.length; length++) {
      await writeFile(file('s'), bytes.subarray(0, length));
      const complete = bytes.subarray(0, length + 1).filter((byte) => byte === 0x0a).length;
      assert.deepEqual(await store.load('s'), events.slice(0, complete));
      write('s', event(4));
      assert.deepEqual(await store.load('s'), [...events.slice(0, complete), event(4)]);
    }
  });

  it('is never found by a name that leads elsewhere', async () => {
    for (const id of ['../x', 'a/b', '', '.', 'a\0', 'C:x', '..\\x']) await assert.rejects(store.load(id), /is not a session id/);
  });

  it('is in use while a living process has it locked', async () => {
    const log = store.log('s');
    const lock = join(directory, 's.lock');
    assert.equal(log.inUse(), false);
    assert.equal(log.lock(), true);
    assert.match(await readFile(lock, 'utf8'), new RegExp(`^${process.pid} `));
    assert.equal(store.log('s').inUse(), false, 'by this process itself');
    log.unlock();
    await assert.rejects(readFile(lock));
    await writeFile(lock, String(process.ppid));
    assert.equal(log.inUse(), true);
    assert.equal(log.lock(), false, 'whoever came first has it');
    log.unlock();
    assert.equal(await readFile(lock, 'utf8'), String(process.ppid), 'nobody takes away what is not theirs');
    await utimes(lock, 1, 1);
    assert.equal(log.inUse(), false, 'from before the computer was started');
    const { pid } = spawnSync(process.execPath, ['--version']);
    for (const gone of [String(pid), '', 'x', '-1', '0']) {
      await writeFile(lock, gone);
      assert.equal(log.inUse(), false, gone);
      assert.equal(log.lock(), true, gone);
    }
  });

  it('is not begun anew in the middle by somebody who still has it open', async () => {
    const log = store.log('s');
    log.append(started('Delete me'));
    log.close();
    moveToTrash(directory, 's');
    assert.throws(() => log.append(started('And then?')), /log file was deleted/);
    assert.deepEqual(await readdir(directory), ['.trash']);
  });

  it('creates ids that sort by time and can be file names', () => {
    const ids = [0, 1, 60, 3_600, 1e6].map((seconds) => store.newId(new Date(1.8e12 + seconds * 1_000)));
    assert.deepEqual(ids.toSorted(), ids);
    for (const id of ids) assert.match(id, /^[\w-]+$/);
    assert.equal(new Set(Array.from({ length: 100 }, () => store.newId(new Date(0)))).size, 100);
  });
});

describe('a session whose log lost lines', () => {
  it('opens, shows what is left and continues, whichever lines are missing', async () => {
    const call1 = call('create_file', { path: 'a.txt', content: 'a' });
    const script = [
      turn(call1, call('read_file', { path: 'b' })),
      turn(say('Done.')),
      turn(call('list_directory', {})),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn({}, [...script, ...Array.from({ length: 100 }, () => turn(say('Here.')))]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'one', mode: 'agent' });
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    const log = join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`);
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
    await fc.assert(
      fc.asyncProperty(fc.subarray(lines), async (left) => {
        await writeFile(log, left.map((line) => `${line}\n`).join(''));
        foldSession(left.map((line) => JSON.parse(line)));
        const { session } = await kedge.reload();
        await session.prompt({ text: 'and now?', mode: 'ask' });
        assert.equal(session.state.lastRun?.outcome, 'answered');
      }),
      { numRuns: 60 },
    );
  });
});

describe('stored contents', () => {
  it('are returned by their hash, and only completely', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-blobs-'));
    const blobs = new DiskBlobs(directory);
    const bytes = new Uint8Array([0, 1, 255]);
    const hash = await blobs.put(bytes);
    assert.deepEqual(new Uint8Array((await blobs.get(hash)) ?? []), bytes);
    assert.equal(await blobs.put(bytes), hash);
    assert.equal(await blobs.get('0'.repeat(64)), undefined);
    const file = join(directory, hash.slice(0, 2), hash);
    await writeFile(file, new Uint8Array([9, 9, 9]));
    assert.equal(await blobs.get(hash), undefined);
    assert.deepEqual(await readdir(join(directory, hash.slice(0, 2))), [hash]);
    await Promise.all(Array.from({ length: 20 }, () => blobs.put(new Uint8Array([7]))));
    await rm(directory, { recursive: true });
  });

  it('are written again if they were damaged', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-blobs-'));
    const blobs = new DiskBlobs(directory);
    const hash = await blobs.put(new Uint8Array([1, 2, 3]));
    await writeFile(join(directory, hash.slice(0, 2), hash), new Uint8Array([9, 9, 9]));
    await blobs.put(new Uint8Array([1, 2, 3]));
    assert.deepEqual(new Uint8Array((await blobs.get(hash)) ?? []), new Uint8Array([1, 2, 3]));
    await rm(directory, { recursive: true });
  });
});
