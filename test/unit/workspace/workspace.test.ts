import assert from 'node:assert/strict';
import type { FileSystem, Location } from '../../../src/workspace/types.ts';
import { Workspace } from '../../../src/workspace/workspace.ts';

describe('the workspace', () => {
  it('reads no file that is too large, on any host', async () => {
    const sized = (size: number) =>
      new Workspace({
        folders: [{ name: 'app' }],
        canonical: async (at: Location) => at,
        stat: async () => ({ type: 'file', size, link: false }),
        read: async () => ({ bytes: new Uint8Array([1]), unsaved: false }),
      } as unknown as FileSystem);
    const at = { folder: 0, path: 'big.log' };
    await assert.rejects(
      sized(120_000_000).snapshot(at),
      /^PathError: big\.log is too large to read \(120 MB\)\. Use a file of at most 100 MB\.$/,
    );
    assert.deepEqual((await sized(99_000_000).snapshot(at))?.bytes, new Uint8Array([1]));
  });

  it('reports a missing read permission the same on all hosts', async () => {
    const denied = Object.assign(new Error("EACCES: permission denied, open '/home/me/app/a.ts'"), { code: 'EACCES' });
    const workspace = new Workspace({
      folders: [{ name: 'app' }],
      canonical: async (at: Location) => at,
      stat: async () => ({ type: 'file', size: 1, link: false }),
      read: () => Promise.reject(denied),
    } as unknown as FileSystem);
    await assert.rejects(
      workspace.snapshot({ folder: 0, path: 'a.ts' }),
      /^PathError: a\.ts cannot be read: permission denied\. Check its permissions\.$/,
    );
  });
});
