/** Sessions on a network drive: nothing is lost, and what cannot be done is an error that says so. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { isLockedByOther, refreshLocks, releaseLock, takeLock } from '../../../src/sessions/lock.ts';
import { listSessions } from '../../../src/sessions/session-list.ts';
import { SessionStore } from '../../../src/sessions/store.ts';
import { writeWholeLog } from '../../../src/sessions/whole-log.ts';
import { answerAll, assistantOn, type Harness } from '../../support/harness.ts';
import { DRIVES, networkDisk } from '../../support/network-disk.ts';

const script = () => [
  turn(call('create_file', { path: 'a.txt', content: 'one\n' })),
  turn(say('Made.')),
  turn(call('replace_in_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] })),
  turn(say('Changed.')),
  turn(say('The narwhal is here.')),
];
const log = ({ storage, session }: Harness) => join(storage, 'sessions', `${session.id}.jsonl`);

describe('sessions on a network drive', () => {
  for (const [drive, quirks] of Object.entries(DRIVES)) {
    it(`are written, continued elsewhere, undone, repaired, found and counted: ${drive}`, async function () {
      this.timeout(120_000);
      await using kedge = await assistantOn({}, script());
      using disk = networkDisk(kedge.storage, quirks);
      answerAll(kedge.session, { approve: true });
      for (const text of ['make it', 'change it']) await kedge.session.prompt({ text, mode: 'agent' });
      assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
      assert.equal(await kedge.read('a.txt'), 'two\n');
      await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
      assert.equal(await kedge.read('a.txt'), 'one\n');
      const written = JSON.parse(JSON.stringify(kedge.session.events));

      const again = await kedge.reload();
      assert.deepEqual([...again.session.events], written);
      const beside = await again.beside();
      await again.session.prompt({ text: 'where is it?', mode: 'ask' });
      assert.equal((await beside.assistant.session(again.session.id))?.events.length, again.session.events.length);

      const library = await again.assistant.library();
      const hits: string[] = [];
      for await (const { session } of library.search('narwhal')) hits.push(session.id);
      for await (const { session } of library.search('narwhal')) hits.push(session.id);
      assert.deepEqual(hits, [again.session.id, again.session.id]);
      assert.equal((await library.insights()).length, 1);
      const fork = await library.fork(again.session.id);
      assert.equal((await library.list()).length, 2);
      library.remove(fork.session.id);
      library.restore(fork.session.id);
      assert.equal((await listSessions(join(kedge.storage, 'sessions'))).length, 2);
      again.assistant.close();
      beside.assistant.close();
      const left = (await readdir(kedge.storage, { recursive: true })).filter((name) => /\.lock|\.[\da-f]{8}-[\da-f-]{27}$/.test(name));
      assert.deepEqual(left, [], 'neither locks nor drafts are left');
      assert.ok(disk.met.size >= quirks.length - 1, [...disk.met].join());
    });

    it(`with damage are repaired, or stay as they are with an error: ${drive}`, async () => {
      await using kedge = await assistantOn({}, script());
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'make it', mode: 'agent' });
      kedge.assistant.close();
      await appendFile(log(kedge), '\0\0\0\n');
      const before = await readFile(log(kedge));
      using _ = networkDisk(kedge.storage, quirks);
      const again = await kedge.reload();
      assert.match(again.session.damage ?? '', /1 line .* damaged/);
      const failure = await again.session.prompt({ text: 'where?', mode: 'ask' }).then(
        () => undefined,
        (error: Error) => error,
      );
      if (quirks.includes('busy')) {
        assert.match(failure?.message ?? '', /log cannot be written/);
        assert.deepEqual(await readFile(log(kedge)), before);
      } else {
        assert.equal(failure, undefined);
        assert.deepEqual((await kedge.reload()).session.damage, undefined);
      }
      assert.ok((await readFile(`${log(kedge)}.damaged`)).equals(before));
      again.assistant.close();
    });
  }

  it('are read up to where another computer has written', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-nfs-'));
    try {
      const store = new SessionStore(directory);
      writeWholeLog(store.log('late'), [{ type: 'session_renamed', title: 'One', runId: '', seq: 1, at: 1 }]);
      const reader = store.log('late');
      await reader.readAll(() => {});
      const other = new SessionStore(directory).log('late');
      for (const seq of [2, 3]) other.append({ type: 'session_renamed', title: `Title ${seq}`, runId: '', seq, at: 1 });
      other.close();
      {
        using disk = networkDisk(directory, ['late bytes']);
        assert.deepEqual(
          reader.readNewEvents().events.map(({ seq }) => seq),
          [2],
        );
        assert.ok(disk.met.has('late bytes'));
      }
      assert.deepEqual([reader.readNewEvents().events.map(({ seq }) => seq), reader.damaged], [[3], 0]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('are locked by another computer for as long as it refreshes its lock', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-nfs-'));
    const path = join(directory, 's.lock');
    const old = new Date(Date.now() - 600_000);
    try {
      // Whatever process has this id here is not the one that is meant.
      for (const pid of [process.pid, 2 ** 22 - 1]) {
        await writeFile(path, `${pid} - ${crypto.randomUUID()} another-computer`);
        assert.deepEqual([isLockedByOther(path), takeLock(path)], [true, false]);
      }
      await utimes(path, old, old);
      assert.deepEqual([isLockedByOther(path), takeLock(path)], [false, true]);
      await utimes(path, old, old);
      refreshLocks();
      const own = await readFile(path, 'utf8');
      await writeFile(path, own.replace(/\S+$/, 'another-computer'), { flag: 'r+' });
      assert.equal(isLockedByOther(path), true, 'it was refreshed');
    } finally {
      releaseLock(path);
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('are locked by another computer of the same name, whose process has the id of this one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-nfs-'));
    const path = join(directory, 's.lock');
    try {
      assert.equal(takeLock(path), true);
      const [, startedAt, , computer = ''] = (await readFile(path, 'utf8')).split(' ');
      releaseLock(path);
      assert.ok(computer.startsWith(hostname()), computer);
      for (const pid of [process.pid, process.ppid, 2 ** 22 - 1]) {
        await writeFile(path, `${pid} ${startedAt}0 ${crypto.randomUUID()} ${computer}`);
        assert.equal(isLockedByOther(path), false, 'it is this computer');
        await writeFile(path, `${pid} ${startedAt} ${crypto.randomUUID()} ${computer}0`);
        assert.deepEqual([isLockedByOther(path), takeLock(path)], [true, false]);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('are locked for as long as the lock is refreshed, whatever the clocks of the computers say', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kedge-nfs-'));
    const path = join(directory, 's.lock');
    const { now } = Date;
    try {
      for (const wrongBy of [-86_400_000, -240_000, 240_000, 86_400_000]) {
        Date.now = () => now() + wrongBy;
        await writeFile(path, `${process.pid} - ${crypto.randomUUID()} another-computer`);
        assert.equal(isLockedByOther(path), true, `the clock is wrong by ${wrongBy} ms`);
        const old = new Date(now() - 240_000);
        await utimes(path, old, old);
        assert.deepEqual([isLockedByOther(path), takeLock(path)], [false, true], `the clock is wrong by ${wrongBy} ms`);
        await utimes(path, old, old);
        await writeFile(join(directory, 'before'), '');
        refreshLocks();
        await writeFile(join(directory, 'later'), '');
        const [before = 0, at = 0, later = 0] = ['before', 's.lock', 'later'].map((name) => statSync(join(directory, name)).mtimeMs);
        assert.ok(before <= at && at <= later, 'it has the time of the drive');
        releaseLock(path);
        assert.deepEqual(await readdir(directory), ['before', 'later']);
      }
    } finally {
      Date.now = now;
      await rm(directory, { recursive: true, force: true });
    }
  });
});
