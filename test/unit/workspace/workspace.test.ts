import assert from 'node:assert/strict';
import type { FileSystem } from '../../../src/workspace/types.ts';
import { Workspace } from '../../../src/workspace/workspace.ts';

describe('the workspace', () => {
  it('reads no file that is too large, whichever host has it', async () => {
    const sized = (size: number) =>
      new Workspace({
        folders: [{ name: 'app' }],
        stat: async () => ({ type: 'file', size, link: false }),
        read: async () => ({ bytes: new Uint8Array([1]), unsaved: false }),
      } as unknown as FileSystem);
    const at = { folder: 0, path: 'big.log' };
    await assert.rejects(sized(120_000_000).snapshot(at), /^PathError: big\.log has 120 MB, which is too much to read\.$/);
    assert.deepEqual((await sized(99_000_000).snapshot(at))?.bytes, new Uint8Array([1]));
  });
});
