import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { NodeWriter } from '../../../../src/hosts/node/files/writer.ts';
import type { FileOps } from '../../../../src/hosts/node/files/writer-journal.ts';
import type { FileChange } from '../../../../src/workspace/types.ts';
import { changesOn, expectedAfter, files, filesOf, intents } from '../../../support/changes.ts';
import { failingFs, watchedFs } from '../../../support/failing-fs.ts';
import { layOut, snapshotOf } from '../../../support/harness.ts';

/** Creates a folder with files, and a journal beside it. */
async function placeWith(initial: Record<string, Uint8Array>) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-writer-')));
  const [root, journal] = [join(base, 'workspace'), join(base, 'journal')];
  await layOut(root, initial);
  const writer = (fs?: FileOps) => new NodeWriter({ absolute: ({ path }) => join(root, path) }, { journal, ...(fs && { fs }) });
  return {
    root,
    journal,
    writer,
    snapshot: () => snapshotOf(root),
    open: () => readdir(journal).catch(() => []),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );

describe('a change on disk', () => {
  const failure = fc.record({ at: fc.nat(90), code: fc.constantFrom('ENOSPC', 'EACCES', 'EIO', 'EPERM'), late: fc.boolean() });

  it('is written completely or not at all when any operation fails, and leaves nothing else behind', async () => {
    await fc.assert(
      fc.asyncProperty(files, intents, failure, async (initial, wanted, { at, ...how }) => {
        await using place = await placeWith(initial);
        const before = await place.snapshot();
        const changes = changesOn(place.root, wanted);
        if (await succeeds(place.writer(failingFs(at, how)).commit(changes))) {
          assert.deepEqual(filesOf(await place.snapshot()), expectedAfter(before, changes));
        } else assert.deepEqual(await place.snapshot(), before);
        assert.deepEqual(await place.open(), []);
      }),
      { numRuns: 300 },
    );
  });

  it('or when all operations fail from one on, as if the disk were gone: then after the next start', async () => {
    await fc.assert(
      fc.asyncProperty(files, intents, failure, async (initial, wanted, { at, ...how }) => {
        await using place = await placeWith(initial);
        const before = await place.snapshot();
        const changes = changesOn(place.root, wanted);
        const landed = await succeeds(place.writer(failingFs(at, { ...how, forGood: true })).commit(changes));
        const standing = (await place.open()).some((name) => name.endsWith('.done'));
        await place.writer().recover();
        // The rename that completes the change may have been carried out although it was reported as failed.
        if (landed || (standing && how.late)) assert.deepEqual(filesOf(await place.snapshot()), expectedAfter(before, changes));
        else assert.deepEqual(await place.snapshot(), before);
        assert.deepEqual(await place.open(), []);
      }),
      { numRuns: 300 },
    );
  });

  it('even when the recovery is interrupted repeatedly', async () => {
    await fc.assert(
      fc.asyncProperty(files, intents, fc.nat(60), fc.array(fc.nat(30), { maxLength: 4 }), async (initial, wanted, at, more) => {
        await using place = await placeWith(initial);
        const before = await place.snapshot();
        const changes = changesOn(place.root, wanted);
        const landed = await succeeds(place.writer(failingFs(at, { forGood: true })).commit(changes));
        for (const each of more) await place.writer(failingFs(each, { forGood: true })).recover();
        await place.writer().recover();
        if (landed) assert.deepEqual(filesOf(await place.snapshot()), expectedAfter(before, changes));
        else assert.deepEqual(await place.snapshot(), before);
      }),
      { numRuns: 300 },
    );
  });

  it('of a killed process is undone, even if another process has its id by now', async function () {
    if (process.platform === 'win32') this.skip();
    await using place = await placeWith({ 'a.txt': Buffer.from('a') });
    const before = await place.snapshot();
    const write = (path: string, old?: string): FileChange => ({
      path,
      at: { folder: 0, path },
      before: old === undefined ? undefined : Buffer.from(old),
      after: Buffer.from('new'),
    });
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    let pending = 0;
    try {
      for (let at = 0; ; at++) {
        if (await succeeds(place.writer(failingFs(at, { forGood: true })).commit([write('a.txt', 'a'), write('b.txt')]))) break;
        const name = (await place.open()).find((each) => each.endsWith('.pending'));
        if (name) renameSync(join(place.journal, name), join(place.journal, name.replace(/^\d+/, String(stranger.pid))));
        await place.writer().recover();
        assert.deepEqual(await place.open(), []);
        assert.deepEqual(await place.snapshot(), before);
        if (name) pending++;
      }
    } finally {
      stranger.kill('SIGKILL');
    }
    assert.ok(pending > 5, `${pending} were pending`);
  });

  it('does not overwrite a concurrent change', async () => {
    const theirs = Buffer.from('written by somebody else, just now');
    await fc.assert(
      fc.asyncProperty(files, intents, fc.nat(60), fc.boolean(), async (initial, wanted, at, byRename) => {
        await using place = await placeWith(initial);
        const before = filesOf(await place.snapshot());
        const changes = changesOn(place.root, wanted).filter(({ path }) => !path.endsWith('/'));
        const victim = changes.find((change) => change.before)?.path;
        if (!victim) return;
        // Changes by others between the last check and the rename cannot be noticed.
        let looked = false;
        let unseen = false;
        let meddled = false;
        const fs = watchedFs((index, name, call) => {
          if (index >= at && !meddled) {
            meddled = true;
            unseen = looked && name === 'renameSync';
            if (byRename) {
              writeFileSync(join(place.root, 'theirs'), theirs);
              renameSync(join(place.root, 'theirs'), join(place.root, victim));
            } else writeFileSync(join(place.root, victim), theirs);
          }
          looked = name === 'lstatSync';
          return call();
        });
        const landed = await succeeds(place.writer(fs).commit(changes));
        const after = filesOf(await place.snapshot());
        const expected = landed ? expectedAfter(before, changes) : before;
        if (meddled && !unseen) expected[victim] = theirs.toString('latin1');
        else if (meddled) expected[victim] = after[victim] as string;
        for (const path of Object.keys(expected)) if (expected[path] === undefined) delete expected[path];
        assert.deepEqual(after, expected);
      }),
      { numRuns: 200 },
    );
  });

  it('is complete or absent after the process was killed at any operation and restarted', async function () {
    if (process.platform === 'win32') this.skip();
    await fc.assert(
      fc.asyncProperty(files, intents, fc.nat(100), async (initial, wanted, at) => {
        await using place = await placeWith(initial);
        const before = await place.snapshot();
        const changes = changesOn(place.root, wanted);
        const killed = await inChild(place, changes, at);
        const open = await place.open();
        await place.writer().recover();
        const after = await place.snapshot();
        const stands =
          !killed ||
          open.some((name) => name.endsWith('.done')) ||
          (open.length === 0 && filesOf(after)[changes[0]?.path ?? ''] !== filesOf(before)[changes[0]?.path ?? '']);
        if (stands) assert.deepEqual(filesOf(after), expectedAfter(before, changes));
        else assert.deepEqual(after, before);
        assert.deepEqual(await place.open(), []);
      }),
      { numRuns: 20 },
    );
  });
});

/** Returns whether the process was killed before it finished. */
function inChild({ root, journal }: { root: string; journal: string }, changes: readonly FileChange[], at: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../support/writer-child.ts'), root, journal, String(at)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('base64');
  child.stdin.end(JSON.stringify(changes.map(({ before, after, ...rest }) => ({ ...rest, before: text(before), after: text(after) }))));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code !== 0 && signal === null ? reject(new Error(`The child ended with ${code}.`)) : resolve(signal === 'SIGKILL'),
    );
  });
}
