import assert from 'node:assert/strict';
import { join } from 'node:path';
import { moveStorage } from '../../../../src/hosts/node/move-storage.ts';
import { snapshotOf } from '../../../support/harness.ts';
import { folderOf, remove } from './folder.ts';

const contents = async (folder: string) =>
  Object.fromEntries(Object.entries(await snapshotOf(folder)).filter(([path]) => !path.endsWith('/')));

describe('the data of an earlier version', () => {
  const OLD = { 'old/sessions/a.jsonl': 'a', 'old/sessions/.trash/b/b.jsonl': 'b', 'old/blobs/12/1234': 'blob', 'old/memory.md': '- old' };
  let folder: string;
  const move = () => moveStorage(join(folder, 'old'), join(folder, 'data/new'));
  afterEach(() => remove(folder));

  it('is moved as a whole', async () => {
    folder = await folderOf(OLD);
    assert.equal(move(), undefined);
    assert.deepEqual(
      await contents(folder),
      Object.fromEntries(Object.entries(OLD).map(([path, text]) => [path.replace('old', 'data/new'), text])),
    );
  });

  it('is added to the data of another program, which stays as it is', async () => {
    folder = await folderOf({
      ...OLD,
      'data/new/sessions/c.jsonl': 'c',
      'data/new/blobs/12/1234': 'blob',
      'data/new/blobs/12/1299': 'other',
      'data/new/memory.md': '- new',
    });
    assert.equal(move(), undefined);
    assert.deepEqual(await contents(folder), {
      'data/new/sessions/a.jsonl': 'a',
      'data/new/sessions/c.jsonl': 'c',
      'data/new/sessions/.trash/b/b.jsonl': 'b',
      'data/new/blobs/12/1234': 'blob',
      'data/new/blobs/12/1299': 'other',
      'data/new/memory.md': '- new',
      'old/memory.md': '- old',
    });
    assert.equal(move(), undefined, 'there is nothing left to move');
  });

  it('is moved as far as possible, and the rest with the next call', async () => {
    // A file is in the place of a folder.
    folder = await folderOf({ ...OLD, 'data/new/sessions/.trash': '' });
    assert.match(move()?.message ?? '', /EEXIST/);
    assert.equal((await contents(folder))['data/new/sessions/a.jsonl'], 'a');
    await remove(join(folder, 'data/new/sessions/.trash'));
    assert.equal(move(), undefined);
    assert.equal((await contents(folder))['data/new/sessions/.trash/b/b.jsonl'], 'b');
  });

  it('that does not exist is no problem', async () => {
    folder = await folderOf({ 'data/new/sessions/c.jsonl': 'c' });
    assert.equal(move(), undefined);
    assert.deepEqual(await contents(folder), { 'data/new/sessions/c.jsonl': 'c' });
  });
});
