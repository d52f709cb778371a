import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../../src/hosts/node/files/writer.ts';
import { WriteGate } from '../../../src/workspace/gate.ts';
import { breakingWriter, gateOn } from '../../support/workspace.ts';

describe('the write gate', () => {
  it('writes the prepared change, and records it before and after', async () => {
    await using disk = await gateOn({ 'a.txt': 'one\n' });
    await disk.apply({ 'a.txt': 'two\n', 'new/b.txt': 'b' });
    assert.deepEqual(await disk.snapshot(), { '/': 'directory', 'a.txt': 'two\n', 'new/': 'directory', 'new/b.txt': 'b' });
    assert.deepEqual(
      disk.recorded.map(({ type }) => type),
      ['changes_staged', 'file_changed'],
    );
    assert.deepEqual(
      disk.staged().map(({ path, kind, added, removed }) => [path, kind, added, removed]),
      [
        ['a.txt', 'edit', 1, 1],
        ['new/b.txt', 'create', 1, 0],
      ],
    );
  });

  it('stores the old content before it writes', async () => {
    await using disk = await gateOn({ 'a.txt': 'one' });
    const apply = await disk.prepare({ 'a.txt': 'two' });
    await apply();
    const [{ before = '', after = '' } = {}] = disk.staged();
    assert.equal(Buffer.from((await disk.blobs.get(before)) ?? []).toString(), 'one');
    assert.equal(Buffer.from((await disk.blobs.get(after)) ?? []).toString(), 'two');
  });

  it('writes nothing when one of the files has changed since the preview', async () => {
    const cases: [what: string, meddle: (disk: Awaited<ReturnType<typeof gateOn>>) => Promise<unknown>, error: RegExp][] = [
      [
        'edited',
        (disk) => disk.write('b.txt', 'mine'),
        /^ToolError: b\.txt was changed after this change was prepared\. Nothing was changed/,
      ],
      ['deleted', (disk) => rm(join(disk.root, 'b.txt')), /b\.txt was deleted after/],
      ['created', (disk) => disk.write('c.txt', 'mine'), /c\.txt was created/],
      ['made a directory', (disk) => mkdir(join(disk.root, 'c.txt')), /c\.txt is not a file but a directory\. Nothing was changed/],
      [
        'made a link',
        async (disk) => {
          await rm(join(disk.root, 'b.txt'));
          await symlink(join(disk.root, 'a.txt'), join(disk.root, 'b.txt'));
        },
        /b\.txt no longer leads to the same place\. Nothing was changed/,
      ],
    ];
    for (const [what, meddle, error] of cases) {
      await using disk = await gateOn({ 'a.txt': 'a', 'b.txt': 'b' });
      const apply = await disk.prepare({ 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' });
      await meddle(disk);
      const before = await disk.snapshot();
      await assert.rejects(apply, error, what);
      assert.deepEqual(await disk.snapshot(), before, what);
      assert.deepEqual(disk.recorded, [], what);
    }
  });

  it('ignores a write of the same content', async () => {
    await using disk = await gateOn({ 'a.txt': 'one' });
    const apply = await disk.prepare({ 'a.txt': 'two' });
    await disk.write('a.txt', 'one');
    await apply();
    assert.equal(await disk.read('a.txt'), 'two');
  });

  it('restores everything when writing fails, wherever it does', async () => {
    const files = { 'a.txt': 'a', 'b.txt': 'b', 'old.txt': 'moved', 'd/c.txt': 'c' };
    const edits = { 'a.txt': 'A', 'new/deep/x.txt': 'x', 'b.txt': undefined, 'moved.txt': 'moved', 'old.txt': undefined, 'd/c.txt': '' };
    for (let k = 0; k < Object.keys(edits).length; k++) {
      await using disk = await gateOn(
        files,
        breakingWriter(() => k),
      );
      const before = await disk.snapshot();
      await assert.rejects(disk.apply(edits, { 'moved.txt': 'old.txt' }), {
        name: 'ToolError',
        message: 'The change could not be written: ENOSPC: no space left on device. Nothing was changed.',
      });
      assert.deepEqual(await disk.snapshot(), before, `failing at ${k}`);
    }
  });

  it('restores everything when writing only seemed to succeed', async () => {
    const forgetful = (real: NodeWriter) => ({
      commit: (changes: Parameters<NodeWriter['commit']>[0]) => real.commit(changes.slice(0, 1)),
    });
    await using disk = await gateOn({ 'a.txt': 'a', 'b.txt': 'b' }, forgetful);
    const before = await disk.snapshot();
    await assert.rejects(disk.apply({ 'a.txt': 'A', 'b.txt': 'B' }), /b\.txt does not have the new content\. Nothing was changed/);
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('names the files that it could not restore', async () => {
    await using disk = await gateOn(
      { 'a.txt': 'a', 'b.txt': 'b' },
      breakingWriter(() => 1, true),
    );
    await assert.rejects(
      disk.apply({ 'a.txt': 'A', 'b.txt': 'B' }),
      /ENOSPC.* These files could not be restored: a\.txt\. Read them again\./,
    );
    assert.equal(await disk.read('a.txt'), 'A');
    assert.equal(await disk.read('b.txt'), 'b');
    const later = new WriteGate(disk.workspace, new NodeWriter(disk.workspace.fs as never), disk.blobs);
    assert.deepEqual(await later.undo(disk.staged(), () => undefined), [
      { path: 'b.txt', outcome: 'unchanged' },
      { path: 'a.txt', outcome: 'restored' },
    ]);
    assert.equal(await disk.read('a.txt'), 'a');
  });

  it('restores modes and removes the directories that it created, also in another process', async function () {
    if (process.platform === 'win32') this.skip();
    await using disk = await gateOn({ 'kept/a.txt': 'a', 'run.sh': 'run', 'tool.sh': 'tool', 'edit.sh': 'edit' });
    for (const name of ['run.sh', 'tool.sh', 'edit.sh']) await chmod(join(disk.root, name), 0o755);
    const before = await disk.snapshot();
    await disk.apply({ 'run.sh': undefined, 'bin/deep/tool.sh': 'tool', 'tool.sh': undefined }, { 'bin/deep/tool.sh': 'tool.sh' });
    await disk.apply({ 'bin/new.txt': 'n', 'mine/new.txt': 'n', 'kept/new.txt': 'n', 'edit.sh': 'edited' });
    await disk.write('mine/notes.txt', 'mine');
    const fs = new NodeFileSystem([disk.root]);
    const later = new WriteGate(disk.workspace, new NodeWriter(fs), disk.blobs);
    const results = await later.undo(disk.staged(), () => undefined);
    assert.ok(results.every(({ outcome }) => outcome === 'restored'));
    assert.deepEqual(await disk.snapshot(), { ...before, 'mine/': 'directory', 'mine/notes.txt': 'mine' });
    for (const name of ['run.sh', 'tool.sh', 'edit.sh']) assert.equal((await stat(join(disk.root, name))).mode & 0o777, 0o755, name);
  });

  it('keeps a directory that existed before the run, even if it is empty afterwards', async () => {
    await using disk = await gateOn({ 'empty/': '' });
    await disk.apply({ 'empty/new.txt': 'n' });
    await new WriteGate(disk.workspace, new NodeWriter(new NodeFileSystem([disk.root])), disk.blobs).undo(disk.staged(), () => undefined);
    assert.deepEqual(await readdir(disk.root), ['empty']);
  });

  it('does not overwrite a concurrent change when it restores a file', async () => {
    const root = { path: '' };
    const raced = (real: NodeWriter) => ({
      async commit(changes: Parameters<NodeWriter['commit']>[0]) {
        const [first] = changes;
        if (first) await real.commit([first]);
        await writeFile(join(root.path, 'b.txt'), 'mine');
        throw new Error('b.txt is locked.');
      },
    });
    await using disk = await gateOn({ 'a.txt': 'a', 'b.txt': 'b' }, raced);
    root.path = disk.root;
    await assert.rejects(disk.apply({ 'a.txt': 'A', 'b.txt': 'B' }), /could not be restored/);
    assert.equal(await disk.read('b.txt'), 'mine');
  });

  it('drops a change that conflicts with a concurrent one, and restores what it wrote', async () => {
    let theirs: string | undefined;
    const raced = (real: NodeWriter) => ({
      async commit(changes: Parameters<NodeWriter['commit']>[0]) {
        if (theirs !== undefined) await writeFile(join(root, 'a.txt'), theirs);
        theirs = undefined;
        await real.commit(changes);
      },
    });
    await using disk = await gateOn({ 'a.txt': '1\n2\n3\n4\n5\n' }, raced);
    const { root } = disk;
    await disk.apply({ 'a.txt': 'one\n2\n3\n4\n5\n' });
    theirs = 'one\n2\n3\n4\nfive\n';
    await assert.rejects(disk.apply({ 'a.txt': 'one\n2\nthree\n4\n5\n' }), {
      message: 'The change could not be written: a.txt was changed just now. Try again. Nothing was changed.',
    });
    assert.deepEqual(
      disk.recorded.map(({ type }) => type),
      ['changes_staged', 'file_changed', 'changes_staged', 'changes_dropped'],
    );
    const kept = disk.staged().slice(0, 1);
    assert.deepEqual(await disk.gate.undo(kept, () => undefined), [{ path: 'a.txt', outcome: 'merged' }]);
    assert.equal(await disk.read('a.txt'), '1\n2\n3\n4\nfive\n');
  });

  it('reports a change that somebody else changed right afterwards as written', async () => {
    const raced = (real: NodeWriter) => ({
      async commit(changes: Parameters<NodeWriter['commit']>[0]) {
        await real.commit(changes);
        await writeFile(join(root, 'a.txt'), 'one\n2\n3\n4\nfive\n');
      },
    });
    await using disk = await gateOn({ 'a.txt': '1\n2\n3\n4\n5\n' }, raced);
    const { root } = disk;
    await assert.rejects(disk.apply({ 'a.txt': 'one\n2\n3\n4\n5\n' }), {
      name: 'ToolError',
      message: 'The change was written, but another program changed a.txt right afterwards. Read the files again.',
    });
    assert.deepEqual(
      disk.recorded.map(({ type }) => type),
      ['changes_staged', 'file_changed'],
    );
    const later = new WriteGate(disk.workspace, new NodeWriter(disk.workspace.fs as never), disk.blobs);
    assert.deepEqual(await later.undo(disk.staged(), () => undefined), [{ path: 'a.txt', outcome: 'merged' }]);
    assert.equal(await disk.read('a.txt'), '1\n2\n3\n4\nfive\n');
  });

  it('applies one change at a time: of many for the same text, only the first is written', async () => {
    await using disk = await gateOn({ 'a.txt': '' });
    const applies = await Promise.all(Array.from({ length: 20 }, (_, index) => disk.prepare({ 'a.txt': `${index}` })));
    const outcomes = await Promise.allSettled(applies.map((apply) => apply()));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', ...Array(19).fill('rejected')],
    );
    assert.equal(await disk.read('a.txt'), '0');
  });

  it('continues after a failed change', async () => {
    await using disk = await gateOn(
      { 'a.txt': 'a' },
      breakingWriter(() => 0),
    );
    const applies = [await disk.prepare({ 'a.txt': 'A' }), await disk.prepare({ 'b.txt': 'B' })];
    const outcomes = await Promise.allSettled(applies.map((apply) => apply()));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  it('writes nothing that cannot be recorded', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    const { at, path } = await disk.workspace.resolve('a.txt');
    const set = await disk.gate.prepare([{ at, path, before: (await disk.workspace.snapshot(at))?.bytes, after: new Uint8Array() }]);
    const record = () => {
      throw new Error('The log is full.');
    };
    await assert.rejects(disk.gate.apply(set, { callId: 'c', record, signal: new AbortController().signal }), /The log is full/);
    assert.equal(await disk.read('a.txt'), 'a');
  });

  it('writes nothing for a run that was stopped', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    const { at, path } = await disk.workspace.resolve('a.txt');
    const set = await disk.gate.prepare([{ at, path, before: (await disk.workspace.snapshot(at))?.bytes, after: undefined }]);
    await assert.rejects(disk.gate.apply(set, { callId: 'c', record: () => undefined, signal: AbortSignal.abort() }), {
      name: 'AbortError',
    });
    assert.equal(await disk.read('a.txt'), 'a');
  });
});

describe('undo', () => {
  it('undoes edits, creations, deletions and moves in one step', async () => {
    await using disk = await gateOn({ 'a.txt': 'a', 'gone.txt': 'g', 'from.txt': 'm' });
    const before = await disk.snapshot();
    await disk.apply({ 'a.txt': 'A' });
    await disk.apply({ 'new/b.txt': 'b' });
    await disk.apply({ 'gone.txt': undefined });
    await disk.apply({ 'to/there.txt': 'm', 'from.txt': undefined }, { 'to/there.txt': 'from.txt' });
    await disk.apply({ 'to/there.txt': 'm, edited' });
    const results = await disk.undo();
    assert.deepEqual(
      results.map(({ path, outcome }) => `${path} ${outcome}`),
      ['to/there.txt restored', 'new/b.txt restored', 'from.txt restored', 'gone.txt restored', 'a.txt restored'],
    );
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('uses the net effect: a file that was created and deleted leaves no trace', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    await disk.apply({ 'a.txt': 'b' });
    await disk.apply({ 'a.txt': 'a' });
    await disk.apply({ 'x.txt': 'x' });
    await disk.apply({ 'x.txt': undefined });
    assert.deepEqual(await disk.undo(), []);
  });

  it('refuses single files that somebody else has changed', async () => {
    await using disk = await gateOn({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    await disk.apply({ 'a.txt': 'A', 'b.txt': 'B', 'c.txt': undefined, 'd.txt': 'D', 'e.txt': 'E' });
    await disk.write('a.txt', 'A and mine');
    await disk.write('c.txt', 'mine');
    await rm(join(disk.root, 'd.txt'));
    await rm(join(disk.root, 'e.txt'));
    await mkdir(join(disk.root, 'e.txt'));
    const results = Object.fromEntries((await disk.undo()).map(({ path, outcome, reason }) => [path, reason ?? outcome]));
    assert.deepEqual(results, {
      'a.txt': 'The same lines were changed after Kedge wrote them.',
      'b.txt': 'restored',
      'c.txt': 'The file was changed after Kedge wrote it.',
      'd.txt': 'unchanged',
      'e.txt': 'e.txt is not a file but a directory.',
    });
    assert.deepEqual(await disk.snapshot(), {
      '/': 'directory',
      'a.txt': 'A and mine',
      'b.txt': 'b',
      'c.txt': 'mine',
      'e.txt/': 'directory',
    });
  });

  it('refuses a file that was deleted since', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    await disk.apply({ 'a.txt': 'A' });
    await rm(join(disk.root, 'a.txt'));
    assert.deepEqual(await disk.undo(), [{ path: 'a.txt', outcome: 'refused', reason: 'The file was deleted after Kedge wrote it.' }]);
  });

  it('does not follow a link that replaced a file', async () => {
    await using disk = await gateOn({ 'a.txt': 'a', 'b.txt': 'b' });
    await disk.apply({ 'a.txt': 'A' });
    await disk.write('b.txt', 'A');
    await rm(join(disk.root, 'a.txt'));
    await symlink(join(disk.root, 'b.txt'), join(disk.root, 'a.txt'));
    const [result] = await disk.undo();
    assert.equal(result?.outcome, 'refused');
    assert.equal(await disk.read('b.txt'), 'A');
  });

  it('does nothing the second time', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    await disk.apply({ 'a.txt': 'A', 'b.txt': 'B' });
    await disk.undo();
    assert.deepEqual(
      (await disk.undo()).map(({ outcome }) => outcome),
      ['unchanged', 'unchanged'],
    );
  });

  it('refuses when the earlier content is lost or damaged, rather than writing something else', async () => {
    await using disk = await gateOn({ 'a.txt': 'a' });
    await disk.apply({ 'a.txt': 'A' });
    const hash = disk.staged()[0]?.before ?? '';
    await writeFile(join(disk.root, '../blobs', hash.slice(0, 2), hash), 'damaged');
    assert.deepEqual(await disk.undo(), [{ path: 'a.txt', outcome: 'refused', reason: 'The earlier content is no longer stored.' }]);
    assert.equal(await disk.read('a.txt'), 'A');
  });

  it('distinguishes a complete change from a later failed one', async () => {
    await using disk = await gateOn(
      { 'a.txt': 'a' },
      breakingWriter(() => 1),
    );
    await disk.apply({ 'a.txt': 'A' });
    await assert.rejects(disk.apply({ 'a.txt': undefined }));
    assert.deepEqual(await disk.undo(), [{ path: 'a.txt', outcome: 'restored' }]);
    assert.equal(await disk.read('a.txt'), 'a');
  });

  it('undoes a change whose extent is unknown after a crash', async () => {
    for (const written of [true, false]) {
      await using disk = await gateOn({ 'a.txt': 'a' });
      await disk.apply({ 'a.txt': 'b' });
      await disk.apply({ 'a.txt': 'c' });
      if (!written) await disk.write('a.txt', 'b');
      const [first, second] = disk.staged();
      assert.ok(first && second);
      await disk.gate.undo([first, { ...second, landed: false }], () => undefined);
      assert.equal(await disk.read('a.txt'), 'a');
    }
  });

  it('does nothing after a change that failed and was restored', async () => {
    await using disk = await gateOn(
      { 'a.txt': 'a', 'b.txt': 'b' },
      breakingWriter(() => 1),
    );
    await assert.rejects(disk.apply({ 'a.txt': 'A', 'b.txt': 'B' }));
    assert.deepEqual(
      (await disk.undo()).map(({ outcome }) => outcome),
      ['unchanged', 'unchanged'],
    );
  });
});
