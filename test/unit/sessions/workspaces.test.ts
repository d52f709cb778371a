import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberFolders, storedWorkspaces } from '../../../src/sessions/workspaces.ts';

describe('the stored workspaces', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-workspaces-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('name their folders, and without these the name of their directory', async () => {
    assert.deepEqual(storedWorkspaces(join(directory, 'missing')), []);
    rememberFolders({ directory, key: 'tide-0123456789ab', folders: ['/srv/tide', '/srv/mole'] });
    for (const [key, text] of [
      ['quay-0123456789ab', undefined],
      ['damaged-0123456789ab', '{"folders":["/wo'],
      ['relative-0123456789ab', '{"folders":["work"]}'],
      ['null-0123456789ab', 'null'],
    ] as const) {
      await mkdir(join(directory, key));
      if (text !== undefined) await writeFile(join(directory, key, 'workspace.json'), text);
    }
    await writeFile(join(directory, 'file'), '');
    assert.deepEqual(
      storedWorkspaces(directory)
        .map(({ name, folders }) => [name, folders])
        .sort(),
      [
        ['damaged', []],
        ['null', []],
        ['quay', []],
        ['relative', []],
        ['tide, mole', ['/srv/tide', '/srv/mole']],
      ],
    );
  });

  it('are written only when something changes, and nothing is left if that fails', async () => {
    const places = { directory, key: 'tide', folders: ['/srv/tide'] };
    rememberFolders({ directory, folders: ['/srv/tide'] });
    assert.deepEqual(await readdir(directory), []);
    await mkdir(join(directory, 'tide', 'workspace.json'), { recursive: true });
    rememberFolders(places);
    assert.deepEqual(await readdir(join(directory, 'tide')), ['workspace.json']);
  });
});
