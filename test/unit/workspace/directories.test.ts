import assert from 'node:assert/strict';
import { gateOn } from '../../support/workspace.ts';

describe('a directory that the gate creates', () => {
  const make = async (disk: Awaited<ReturnType<typeof gateOn>>, path: string) => {
    const { at } = await disk.workspace.resolve(path);
    const set = await disk.gate.prepare([{ path: `${path}/`, at, before: undefined, after: new Uint8Array() }]);
    await disk.gate.apply(set, { callId: path, record: (event) => void disk.recorded.push(event), signal: new AbortController().signal });
  };

  it('is removed by undo, with the parents that were created with it', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    const before = await disk.snapshot();
    await make(disk, 'd/e');
    assert.ok('d/e/' in (await disk.snapshot()));
    assert.deepEqual(await disk.undo(), [{ path: 'd/e/', outcome: 'restored' }]);
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('is removed by undo after its content', async () => {
    await using disk = await gateOn({});
    const before = await disk.snapshot();
    await make(disk, 'd');
    await disk.apply({ 'd/a.txt': 'a' });
    await disk.undo();
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('stays when somebody put something into it', async () => {
    await using disk = await gateOn({});
    await make(disk, 'd');
    await disk.write('d/mine.txt', 'mine');
    const [result] = await disk.undo();
    assert.equal(result?.outcome, 'refused');
    assert.equal(await disk.read('d/mine.txt'), 'mine');
  });
});
