/** Reading the log can fail at any time. Nothing is lost then, and the next read that succeeds shows everything. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { readdir, readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness, nextEvent } from '../../support/harness.ts';
import { networkDisk } from '../../support/network-disk.ts';

const fileOf = ({ storage, session }: Harness) => join(storage, 'sessions', `${session.id}.jsonl`);
const seqsIn = async (kedge: Harness) =>
  (await readFile(fileOf(kedge), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).seq);

/** Makes opening the log for reading fail once, after it succeeded `before` times. */
function failingRead(kedge: Harness, before: number): Disposable & { failed: boolean } {
  const real = fs.openSync;
  const file = fileOf(kedge);
  const set = (open: typeof fs.openSync) => {
    fs.openSync = open;
    syncBuiltinESMExports();
  };
  const result = { failed: false, [Symbol.dispose]: () => set(real) };
  let count = 0;
  set((path, flags, mode) => {
    if (path === file && flags === 'r' && count++ === before) {
      result.failed = true;
      throw Object.assign(new Error('EIO: i/o error, open'), { code: 'EIO' });
    }
    return real(path, flags, mode);
  });
  return result;
}

/** Makes reads of files that were opened with these flags return only a part of the bytes. */
function partialReads(kedge: Harness, flags: string): Disposable {
  const { openSync, readSync } = fs;
  const handles = new Set<number>();
  const file = fileOf(kedge);
  fs.openSync = (path, ...more) => {
    const handle = openSync(path, ...more);
    if (path === file && more[0] === flags) handles.add(handle);
    else handles.delete(handle);
    return handle;
  };
  fs.readSync = ((handle: number, bytes: Buffer, at: number, length: number, position: number) =>
    readSync(handle, bytes, at, handles.has(handle) ? Math.floor((length * 3) / 4) : length, position)) as typeof fs.readSync;
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      Object.assign(fs, { openSync, readSync });
      syncBuiltinESMExports();
    },
  };
}

describe('a log of which only a part can be read for a moment', () => {
  for (const [what, flags] of [
    ['its new events', 'r'],
    ['its last line', 'a+'],
  ] as const)
    it(`is not changed then: ${what}`, async () => {
      await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))]);
      await kedge.session.prompt({ text: 'first', mode: 'ask' });
      const beside = await kedge.beside();
      await beside.session.prompt({ text: 'second', mode: 'ask' });
      const before = await readFile(fileOf(kedge), 'utf8');
      {
        using _disk = partialReads(kedge, flags);
        assert.throws(() => kedge.session.note({ type: 'session_renamed', title: 'Third' }), /Only a part of the log can be read/);
      }
      assert.equal(await readFile(fileOf(kedge), 'utf8'), before);
      kedge.session.note({ type: 'session_renamed', title: 'Third' });
      const seqs = await seqsIn(kedge);
      assert.deepEqual(
        seqs,
        seqs.map((_, index) => index + 1),
      );
      assert.deepEqual([...(await kedge.reload()).session.events], [...kedge.session.events]);
    });
});

describe('a log that cannot be read for a moment', () => {
  it('is not kept open, and the next read reads the file that is there then', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))]);
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    const file = fileOf(kedge);
    const good = await readFile(file);
    await writeFile(file, Buffer.concat([Buffer.from(' \n'), good]));
    assert.throws(() => kedge.session.readView(), /was changed by another program/);
    if (process.platform === 'linux') {
      const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
      assert.ok(!open.includes(file), 'the log is closed');
    }
    await writeFile(`${file}.x`, good);
    await rename(`${file}.x`, file);
    kedge.session.refresh();
    assert.equal(kedge.session.readView().runs.length, 1);
    await kedge.session.prompt({ text: 'second', mode: 'ask' });
    assert.equal(kedge.session.readView().runs.length, 2);
  });

  it('does not prevent the end of a run', async () => {
    let file = '';
    await using kedge = await assistantOn({ 'a.txt': 'x' }, [
      turn(call('read_file', { path: 'a.txt' })),
      async function* () {
        await writeFile(file, (await readFile(file, 'utf8')).replace(/./g, ' '));
        yield* say('Done.');
        yield { type: 'stop', reason: 'end_turn' };
      },
    ]);
    file = fileOf(kedge);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(
      eventsOf(kedge.events, 'run_finished').map(({ receipt }) => receipt),
      [undefined],
    );
  });

  it('loses no event that another window has added, and no number is used twice', async () => {
    const turns = ['Zero.', 'Two.', 'Three.'].map((text) => turn(say(text)));
    await using kedge = await assistantOn({}, [...turns.slice(0, 1), hang({ type: 'text_delta', text: 'One' }), ...turns.slice(1)]);
    await kedge.session.prompt({ text: 'zero', mode: 'ask' });
    const begun = nextEvent(kedge.session, 'text_delta');
    void kedge.session.prompt({ text: 'first', mode: 'ask' }).catch(() => {});
    await begun;
    // The first window shows the run as interrupted. The second window finishes it.
    const one = await kedge.reload();
    const two = await one.beside();
    await two.session.resume();
    {
      using disk = failingRead(one, 1);
      assert.throws(() => one.session.refresh(), /EIO/);
      assert.ok(disk.failed);
    }
    one.session.refresh();
    assert.equal(one.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual([...one.session.events], [...two.session.events]);
    assert.equal(eventsOf(one.events, 'run_finished').length, 1, 'its end was told');
    await one.session.prompt({ text: 'again', mode: 'ask' });
    const seqs = await seqsIn(one);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
  });

  it('refuses a prompt, and writes nothing, while its new events cannot be read', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Three.'))]);
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    const beside = await kedge.beside();
    await beside.session.prompt({ text: 'second', mode: 'ask' });
    const before = await seqsIn(kedge);
    {
      using disk = failingRead(kedge, 0);
      await assert.rejects(kedge.session.prompt({ text: 'third', mode: 'ask' }), /log cannot be read: EIO/);
      assert.ok(disk.failed);
    }
    assert.deepEqual(await seqsIn(kedge), before);
    await kedge.session.prompt({ text: 'third', mode: 'ask' });
    assert.equal((await kedge.reload()).session.readView().runs.length, 3);
  });

  for (const isRead of [true, false])
    it(`is read again after a repair on a drive without inodes, ${isRead ? 'after a read failed' : 'before it is read'}`, async () => {
      await using kedge = await assistantOn(
        {},
        ['One.', 'Two.', 'Three.'].map((text) => turn(say(text))),
      );
      using _disk = networkDisk(kedge.storage, ['no inodes']);
      await kedge.session.prompt({ text: 'first', mode: 'ask' });
      const [first, ...more] = (await readFile(fileOf(kedge), 'utf8')).split('\n');
      await writeFile(fileOf(kedge), [first, 'damaged '.repeat(80), ...more].join('\n'));
      const one = await kedge.reload();
      const two = await one.beside();
      await two.session.prompt({ text: 'second', mode: 'ask' });
      if (isRead) assert.throws(() => one.session.readView(), /was changed by another program/);
      one.session.refresh();
      assert.equal(one.session.readView().runs.length, 2);
      await one.session.prompt({ text: 'third', mode: 'ask' });
      assert.equal(one.session.readView().runs.length, 3);
      assert.equal((await one.reload()).session.readView().runs.length, 3);
    });
});
