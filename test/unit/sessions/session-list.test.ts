import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent, EventBody } from '../../../src/core/session/events.ts';
import { examineStorage, type Finding } from '../../../src/sessions/doctor.ts';
import { pruneBlobs } from '../../../src/sessions/prune.ts';
import { INDEX, listSessions } from '../../../src/sessions/session-list.ts';
import { SessionStore } from '../../../src/sessions/store.ts';
import { expiredInTrash, listTrash, moveToTrash, removeFromTrash, restoreFromTrash } from '../../../src/sessions/trash.ts';
import { networkDisk } from '../../support/network-disk.ts';

const started = (prompt: string): EventBody => ({
  type: 'run_started',
  mode: 'ask',
  prompt,
  model: { provider: 'p', model: 'm' },
  limits: { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 },
});
const finished = (outcome: 'answered' | 'failed'): EventBody => ({ type: 'run_finished', outcome, usage: {}, durationMs: 1 });

describe('the list of sessions', () => {
  let directory: string;
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'kedge-sessions-')), 'sessions');
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

  const file = (id: string) => join(directory, `${id}.jsonl`);
  /** Appends events to a log, numbered on from `seq`. */
  function write(id: string, bodies: EventBody[], { seq = 1, at = 1_000 } = {}): void {
    const log = new SessionStore(directory).log(id);
    bodies.forEach((body, index) => {
      const runId = body.type.startsWith('session_') ? '' : 'r';
      log.append({ ...body, runId, seq: seq + index, at: at + index } as AgentEvent);
    });
    log.close();
  }
  const listed = async () => (await listSessions(directory)).map(({ id, title, status, events }) => [id, title, status, events]);

  it('is empty where there is nothing yet, and writes nothing there', async () => {
    assert.deepEqual(await listSessions(directory), []);
    assert.ok(!existsSync(directory));
  });

  it('says what each session is about and how it is doing, the newest first', async () => {
    const approval: EventBody = {
      type: 'approval_requested',
      approvalId: 'a',
      callId: 'c',
      title: 'Edit',
      rule: 'edit',
      reason: 'It changes a file.',
      changes: [],
    };
    write('done', [started(`"Look" at\\this:\t🙂\n${'x'.repeat(100_000)}`), finished('answered')], { at: 1 });
    write('failed', [started('Two'), finished('failed')], { at: 2_000 });
    write('waiting', [started('Three'), approval], { at: 3_000 });
    write('paused', [started('Four'), { type: 'run_paused', reason: 'user', summary: '' }], { at: 4_000 });
    write('cut', [started('y'.repeat(200))], { at: 5_000 });
    await appendFile(file('cut'), '{"type":"run_fin');
    write('held', [started('Six')], { at: 6_000 });
    await writeFile(join(directory, 'held.lock'), String(process.ppid));
    await writeFile(join(directory, 'notes.txt'), '');
    assert.deepEqual(await listed(), [
      ['held', 'Six', 'running', 1],
      ['cut', 'y'.repeat(80), 'paused', 1],
      ['paused', 'Four', 'paused', 2],
      ['waiting', 'Three', 'waiting', 2],
      ['failed', 'Two', 'failed', 2],
      ['done', '"Look" at\\this:\t🙂', 'done', 2],
    ]);
    const [info] = (await listSessions(directory)).slice(-1);
    const { size } = await import('node:fs').then(({ statSync }) => statSync(file('done')));
    assert.deepEqual(info && [info.mode, info.model, info.startedAt, info.changedAt, info.bytes], [
      'ask',
      { provider: 'p', model: 'm' },
      1,
      2,
      size,
    ]);
  });

  it('follows a log that grows, is renamed, pinned, replaced or repaired', async () => {
    write('s', [started('First')]);
    assert.deepEqual(await listed(), [['s', 'First', 'paused', 1]]);
    write('s', [finished('answered'), { type: 'session_renamed', title: 'Other' }, { type: 'session_pinned', pinned: true }], {
      seq: 2,
      at: 9_000,
    });
    const [info] = await listSessions(directory);
    assert.deepEqual(info && [info.title, info.isPinned, info.changedAt], ['Other', true, 9_000]);
    const line = (await readFile(file('s'), 'utf8')).split('\n')[0] ?? '';
    await writeFile(file('s'), `${line.replace('First', 'Again')}\n`);
    assert.deepEqual(await listed(), [['s', 'Again', 'paused', 1]]);
    await rm(file('s'));
    assert.deepEqual(await listed(), []);
  });

  it('does not read a log again that it knows, and does not believe an index that is wrong', async () => {
    write('s', [started('First'), finished('answered')]);
    const before = await listed();
    const index = join(directory, INDEX, 'sessions.json');
    const text = await readFile(index, 'utf8');
    await writeFile(index, text.replace('"First"', '"Known"'));
    assert.deepEqual((await listed())[0]?.[1], 'Known', 'an unchanged log is not read');
    await utimes(file('s'), 5, 5);
    await writeFile(index, text.replace(/"tail":"[^"]*"/, '"tail":"x"').replace('"First"', '"Wrong"'));
    assert.deepEqual(await listed(), before);
    for (const damaged of ['', '{', 'null', '[]', '{"version":1}', '{"version":0,"entries":{"s":{}}}']) {
      await writeFile(index, damaged);
      assert.deepEqual(await listed(), before, damaged);
    }
  });

  it('loses a session to the trash with all that belongs to it, and gets it back', async () => {
    write('s', [started('Delete me'), finished('answered')]);
    write('s2', [started('Keep me')]);
    await writeFile(`${file('s')}.damaged`, 'x');
    await writeFile(join(directory, 's.address.json'), '{}');
    const before = (await listed()).find(([id]) => id === 's');
    const at = Date.now() - 86_400_000;
    assert.equal(moveToTrash(directory, 's', at), true);
    assert.equal(moveToTrash(directory, 's'), false);
    assert.deepEqual(
      (await listed()).map(([id]) => id),
      ['s2'],
    );
    assert.deepEqual((await readdir(directory)).sort(), [INDEX, '.trash', 's2.jsonl']);
    const [deleted] = await listTrash(directory);
    assert.deepEqual(deleted && [deleted.id, deleted.title, Math.round(deleted.deletedAt / 1000)], [
      's',
      'Delete me',
      Math.round(at / 1000),
    ]);
    assert.deepEqual(expiredInTrash(directory), []);
    assert.deepEqual(expiredInTrash(directory, { now: at + 15 * 86_400_000 }), ['s']);
    assert.equal(restoreFromTrash(directory, 's'), true);
    assert.equal(restoreFromTrash(directory, 's'), false);
    assert.deepEqual(
      (await listed()).find(([id]) => id === 's'),
      before,
    );
    assert.deepEqual(await readFile(`${file('s')}.damaged`, 'utf8'), 'x');
  });

  it('is deleted and restored whole if its deletion was interrupted, or a file of it was open on a network drive', async () => {
    const places = { sessions: directory, blobs: join(directory, 'blobs') };
    const found = async (repair: boolean) => {
      const findings: Finding[] = [];
      for await (const finding of examineStorage(places, repair)) findings.push(finding);
      return findings;
    };
    const left = async () => (await readdir(directory)).filter((name) => name.startsWith('s.'));
    const at = Date.now() - 86_400_000;
    write('s', [started('Delete me'), finished('answered')]);
    await writeFile(`${file('s')}.damaged`, 'x');
    await writeFile(join(directory, 's.address.json'), '{}');
    const whole = await left();
    {
      using _ = networkDisk(directory, ['open is busy']);
      const reader = openSync(`${file('s')}.damaged`, 'r');
      assert.equal(moveToTrash(directory, 's', at), true);
      assert.deepEqual(await left(), ['s.jsonl.damaged']);
      assert.deepEqual(await found(true), [{ problem: '1 file of deleted sessions is not in the trash.' }]);
      closeSync(reader);
    }
    assert.deepEqual(await found(false), [{ problem: '1 file of deleted sessions is not in the trash.' }]);
    assert.deepEqual(await left(), ['s.jsonl.damaged']);
    assert.match((await found(true))[0]?.repaired ?? '', /moved/);
    assert.deepEqual([await left(), await found(true)], [[], []]);
    assert.equal(Math.round(((await listTrash(directory))[0]?.deletedAt ?? 0) / 1000), Math.round(at / 1000));
    assert.equal(restoreFromTrash(directory, 's'), true);
    assert.deepEqual(await left(), whole);

    // The process ended after it had moved the log.
    const interrupt = async () => {
      await mkdir(join(directory, '.trash', 's'), { recursive: true });
      await rename(file('s'), join(directory, '.trash', 's', 's.jsonl'));
    };
    await interrupt();
    assert.deepEqual(
      (await listTrash(directory)).map(({ id }) => id),
      ['s'],
    );
    assert.equal(restoreFromTrash(directory, 's'), true);
    assert.deepEqual(await left(), whole);
    await interrupt();
    await pruneBlobs(places);
    assert.deepEqual(await left(), []);
    assert.equal(restoreFromTrash(directory, 's'), true);
    await interrupt();
    removeFromTrash(directory, 's');
    assert.deepEqual([await left(), await listTrash(directory)], [[], []]);
  });

  it('stays as it is if its log cannot be moved', async () => {
    write('s', [started('Keep me')]);
    using _ = networkDisk(directory, ['open is busy']);
    const reader = openSync(file('s'), 'r');
    const before = await readdir(directory);
    assert.throws(() => moveToTrash(directory, 's'), /EBUSY/);
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name !== '.trash'),
      before,
    );
    assert.deepEqual(await listTrash(directory), []);
    closeSync(reader);
  });
});
