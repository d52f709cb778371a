import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expectName, NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../../../src/hosts/node/files/writer.ts';
import { storageDirectory, workspaceStorage } from '../../../../src/hosts/node/storage.ts';
import { encodeText } from '../../../../src/workspace/content.ts';
import { WriteGate } from '../../../../src/workspace/gate.ts';
import type { FileChange } from '../../../../src/workspace/types.ts';
import { Workspace } from '../../../../src/workspace/workspace.ts';
import { folderOf, remove } from './folder.ts';

const at = (path: string, folder = 0) => ({ folder, path });
const change = (path: string, before: string | undefined, after: string | undefined): FileChange => ({
  path,
  at: at(path),
  before: before === undefined ? undefined : encodeText(before),
  after: after === undefined ? undefined : encodeText(after),
});

describe('NodeFileSystem', () => {
  let folder: string;
  let outside: string;
  let fs: NodeFileSystem;
  beforeEach(async () => {
    outside = await folderOf({ 'secret.txt': 'secret', 'dir/x': '' });
    folder = await folderOf({ 'a.txt': 'text', 'dir/b.txt': 'b' });
    fs = new NodeFileSystem([folder]);
  });
  afterEach(() => Promise.all([remove(folder), remove(outside)]));

  it('resolves a folder that is opened through a link', async () => {
    await symlink(folder, join(outside, 'alias'));
    const alias = new NodeFileSystem([join(outside, 'alias'), folder]);
    assert.equal(alias.folders.length, 1);
    assert.equal(alias.folders[0]?.root, folder);
    assert.deepEqual(await alias.canonical(at('dir/b.txt')), at('dir/b.txt'));
  });

  it('refuses to open a folder that does not exist', () => {
    assert.throws(() => new NodeFileSystem([join(folder, 'none')]), /ENOENT/);
  });

  it('follows links inside the folder, also in the middle of a path and where its end does not exist', async () => {
    await symlink('dir', join(folder, 'alias'));
    await symlink('../a.txt', join(folder, 'dir', 'up.txt'));
    assert.deepEqual(await fs.canonical(at('alias/b.txt')), at('dir/b.txt'));
    assert.deepEqual(await fs.canonical(at('alias/new/deep.txt')), at('dir/new/deep.txt'));
    assert.deepEqual(await fs.canonical(at('alias/up.txt')), at('a.txt'));
    assert.deepEqual(await fs.canonical(at('')), at(''));
  });

  it('detects every way out of the folder', async () => {
    await symlink(outside, join(folder, 'out'));
    await symlink(join(outside, 'secret.txt'), join(folder, 'innocent.txt'));
    await symlink(join(outside, 'not-yet.txt'), join(folder, 'dangling.txt'));
    await symlink('dangling.txt', join(folder, 'twice.txt'));
    await symlink('../..', join(folder, 'dir', 'up'));
    await symlink(join(outside, 'no', 'such'), join(folder, 'nowhere'));
    for (const path of [
      'out',
      'out/secret.txt',
      'out/new.txt',
      'innocent.txt',
      'dangling.txt',
      'twice.txt',
      'dir/up',
      'dir/up/x',
      'nowhere/x',
    ]) {
      assert.equal(await fs.canonical(at(path)), undefined, path);
    }
  });

  it('distinguishes a folder whose name begins with the name of the open one', async () => {
    const twin = `${folder}-twin`;
    await mkdir(twin);
    try {
      await symlink(twin, join(folder, 'twin'));
      assert.equal(await fs.canonical(at('twin/x')), undefined);
    } finally {
      await remove(twin);
    }
  });

  it('resolves a dangling link to its target, and a cycle to nothing', async () => {
    await symlink('dir/new.txt', join(folder, 'later.txt'));
    await symlink('round', join(folder, 'round'));
    assert.deepEqual(await fs.canonical(at('later.txt')), at('dir/new.txt'));
    assert.equal(await fs.canonical(at('round')), undefined);
    assert.deepEqual(await fs.canonical(at('a.txt/below')), at('a.txt/below'));
  });

  it('refuses names that Windows would change, on Windows only', () => {
    for (const name of ['a.txt:stream', 'dir./x', 'a ', 'con', 'dir/NUL.txt', 'com1', 'what?']) {
      assert.throws(() => expectName(name, 'win32'), /cannot be the name of a file on Windows/, name);
      expectName(name, 'linux');
    }
    for (const name of ['a.txt', '.env', 'console/com10.ts', '']) expectName(name, 'win32');
  });

  it('finds the inner one of two folders inside each other', async () => {
    const both = new NodeFileSystem([folder, join(folder, 'dir')]);
    assert.deepEqual(await both.canonical(at('dir/b.txt')), at('b.txt', 1));
    assert.deepEqual(await both.canonical(at('a.txt')), at('a.txt', 0));
  });

  it('lists, reads and describes', async () => {
    await symlink('dir', join(folder, 'alias'));
    await symlink('gone', join(folder, 'broken'));
    const entries = await fs.list(at(''));
    assert.deepEqual(Object.fromEntries(entries.map(({ name, type }) => [name, type])), {
      'a.txt': 'file',
      alias: 'directory',
      broken: 'other',
      dir: 'directory',
    });
    assert.deepEqual({ ...(await fs.stat(at('a.txt'))), mode: 0 }, { type: 'file', size: 4, link: false, mode: 0 });
    assert.deepEqual(await fs.stat(at('none')), undefined);
    assert.deepEqual(await fs.stat(at('a.txt/none')), undefined);
    assert.equal((await fs.stat(at('alias')))?.link, true);
    assert.equal(Buffer.from((await fs.read(at('a.txt'))).bytes).toString(), 'text');
  });

  it('reads and lists only the real place while a link appears and disappears there', async function () {
    // On other systems an open file has no path, so it is only checked before and after.
    if (process.platform !== 'linux') this.skip();
    this.timeout(60_000);
    await mkdir(join(folder, 'swapped'));
    for (const [root, text] of [
      [join(folder, 'swapped'), 'mine'],
      [join(outside, 'dir'), 'treasure'],
    ] as const) {
      await writeFile(join(root, 'small.txt'), text);
      await writeFile(join(root, 'large.txt'), text.repeat(400_000));
      await writeFile(join(root, `${text}.txt`), '');
    }
    const swap = `
      const { renameSync, symlinkSync } = require('node:fs');
      const [, folder, outside] = process.argv;
      symlinkSync(outside + '/dir', folder + '/link');
      process.send('ready');
      let isOver = false;
      process.on('message', () => { isOver = true; });
      (function swap() {
        for (let left = 50; left > 0; left--) {
          renameSync(folder + '/swapped', folder + '/was');
          renameSync(folder + '/link', folder + '/swapped');
          renameSync(folder + '/swapped', folder + '/link');
          renameSync(folder + '/was', folder + '/swapped');
        }
        if (isOver) process.exit();
        setImmediate(swap);
      })();`;
    const child = spawn(process.execPath, ['-e', swap, folder, outside], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    try {
      await once(child, 'message');
      const counts = { mine: 0, refused: 0 };
      for (let index = 0; index < 3_000 || (counts.mine === 0 && index < 100_000); index++) {
        const path = index % 50 === 0 ? 'swapped/large.txt' : 'swapped/small.txt';
        const reads = [
          fs.read(at(path)).then(({ bytes }) => bytes),
          fs.readRange(at(path), 0, 100),
          fs.list(at('swapped')).then((all) => encodeText(all.map(({ name }) => name).join())),
        ];
        const bytes = await (reads[index % 3] as Promise<Uint8Array>).catch((error: Error) => {
          assert.match(error.message, /no longer leads to the same place|ENOENT|ENOTDIR/);
          return undefined;
        });
        assert.ok(!bytes || !Buffer.from(bytes).includes('treasure'), path);
        counts[bytes ? 'mine' : 'refused']++;
      }
      assert.ok(counts.mine > 0 && counts.refused > 0, JSON.stringify(counts));
    } finally {
      child.send('over');
      await once(child, 'exit');
    }
  });

  it('does not read through a link that was created after the check', async function () {
    if (process.platform === 'win32') this.skip();
    await symlink(join(outside, 'secret.txt'), join(folder, 'late.txt'));
    await assert.rejects(fs.read(at('late.txt')), /^PathError: late\.txt no longer leads to the same place/);
  });
});

describe('NodeWriter', () => {
  let folder: string;
  let writer: NodeWriter;
  beforeEach(async () => {
    folder = await folderOf({ 'a.txt': 'old', 'run.sh': '#!/bin/sh\n' });
    await chmod(join(folder, 'run.sh'), 0o755);
    writer = new NodeWriter(new NodeFileSystem([folder]));
  });
  afterEach(() => remove(folder));
  const content = (path: string) => readFile(join(folder, path), 'utf8');
  const mode = async (path: string) => (await stat(join(folder, path))).mode & 0o777;

  it('creates, changes and deletes in one step, and leaves nothing else behind', async () => {
    await writer.commit([
      change('deep/er/new.txt', undefined, 'new'),
      change('a.txt', 'old', 'now'),
      change('run.sh', '#!/bin/sh\n', undefined),
    ]);
    assert.equal(await content('deep/er/new.txt'), 'new');
    assert.equal(await content('a.txt'), 'now');
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), [
      'a.txt',
      'deep',
      join('deep', 'er'),
      join('deep', 'er', 'new.txt'),
    ]);
  });

  it('removes the directories that it created with the last file in them, and no others', async () => {
    await mkdir(join(folder, 'kept'));
    await writer.commit([change('kept/made/new.txt', undefined, 'new')]);
    await writer.commit([change('kept/made/new.txt', 'new', undefined)]);
    assert.deepEqual(await readdir(join(folder, 'kept')), []);
  });

  it('keeps the mode of an edited or moved file, and restores that of a deleted one', async function () {
    if (process.platform === 'win32') this.skip();
    await writer.commit([change('run.sh', '#!/bin/sh\n', '#!/bin/bash\n')]);
    assert.equal(await mode('run.sh'), 0o755);
    await writer.commit([
      { ...change('bin/run.sh', undefined, '#!/bin/bash\n'), movedFrom: 'run.sh' },
      change('run.sh', '#!/bin/bash\n', undefined),
    ]);
    assert.equal(await mode('bin/run.sh'), 0o755);
    await writer.commit([change('bin/run.sh', '#!/bin/bash\n', undefined)]);
    await writer.commit([{ ...change('bin/run.sh', undefined, '#!/bin/bash\n'), mode: 0o755 }]);
    assert.equal(await mode('bin/run.sh'), 0o755);
  });

  it('changes nothing when one of the files cannot be prepared', async () => {
    await mkdir(join(folder, 'taken'));
    await assert.rejects(
      writer.commit([change('made/new.txt', undefined, 'x'), change('a.txt', 'old', 'now'), change('taken', 'x', 'y')]),
      /taken is not a file/,
    );
    assert.equal(await content('a.txt'), 'old');
    assert.deepEqual((await readdir(folder)).sort(), ['a.txt', 'run.sh', 'taken']);
  });

  it('does not overwrite a concurrent file, and does not recreate a deleted one', async () => {
    await assert.rejects(writer.commit([change('a.txt', undefined, 'x')]), /has been created by another program/);
    await assert.rejects(writer.commit([change('gone.txt', 'x', 'y')]), /was deleted/);
    assert.equal(await content('a.txt'), 'old');
    assert.deepEqual((await readdir(folder)).sort(), ['a.txt', 'run.sh']);
  });

  it('follows no link at the path or above it', async () => {
    const other = await folderOf({ 'victim.txt': 'safe' });
    try {
      await symlink(join(other, 'victim.txt'), join(folder, 'link.txt'));
      await symlink(other, join(folder, 'up'));
      await assert.rejects(writer.commit([change('link.txt', 'safe', 'gone')]), /not a file/);
      await assert.rejects(writer.commit([change('link.txt', 'safe', undefined)]), /not a file/);
      await assert.rejects(writer.commit([change('up/new.txt', undefined, 'x')]), /was moved, or a symbolic link replaced it/);
      assert.deepEqual(await readdir(other), ['victim.txt']);
      assert.equal(await readFile(join(other, 'victim.txt'), 'utf8'), 'safe');
    } finally {
      await remove(other);
    }
  });

  it('does not change a read-only file', async () => {
    await chmod(join(folder, 'a.txt'), 0o444);
    await assert.rejects(writer.commit([change('a.txt', 'old', 'now')]), /a\.txt is read-only/);
    assert.equal(await content('a.txt'), 'old');
  });

  it('lets the gate restore an incomplete change', async () => {
    const fs = new NodeFileSystem([folder]);
    const gate = new WriteGate(
      new Workspace(fs),
      {
        commit: async (changes) => {
          await writer.commit(changes);
          if (changes.length > 1) throw new Error('the disk went away');
        },
      },
      { put: async () => '', get: async () => undefined },
    );
    const set = { changes: [change('new/file.txt', undefined, 'x'), change('a.txt', 'old', 'now')], summaries: [], digest: '' };
    await assert.rejects(
      gate.apply(set, { callId: 'call', record: () => undefined, signal: new AbortController().signal }),
      /Nothing was changed/,
    );
    assert.deepEqual((await readdir(folder)).sort(), ['a.txt', 'run.sh']);
    assert.equal(await content('a.txt'), 'old');
  });
});

describe('storage', () => {
  it('is in the data directory of the system', () => {
    assert.equal(storageDirectory({ KEDGE_HOME: '/k', XDG_DATA_HOME: '/x' }, 'linux', '/home/u'), '/k');
    assert.equal(storageDirectory({ XDG_DATA_HOME: '/x' }, 'linux', '/home/u'), join('/x', 'kedge'));
    assert.equal(storageDirectory({}, 'linux', '/home/u'), join('/home/u', '.local', 'share', 'kedge'));
    assert.equal(
      storageDirectory({ XDG_DATA_HOME: '/x' }, 'darwin', '/Users/u'),
      join('/Users/u', 'Library', 'Application Support', 'kedge'),
    );
    assert.equal(storageDirectory({ LOCALAPPDATA: 'L' }, 'win32', 'U'), join('L', 'kedge'));
  });

  it('is never in the folder that the program was started in, whatever HOME is', function () {
    if (process.platform === 'win32') this.skip();
    const { HOME } = process.env;
    try {
      for (const home of ['', 'here', './here', '.']) {
        process.env.HOME = home;
        for (const data of [undefined, '', 'data', './data'])
          assert.equal(storageDirectory({ XDG_DATA_HOME: data }, 'linux'), join(userInfo().homedir, '.local', 'share', 'kedge'));
      }
      process.env.HOME = '/home/u';
      assert.equal(storageDirectory({}, 'linux'), '/home/u/.local/share/kedge');
    } finally {
      process.env.HOME = HOME;
    }
  });

  it('needs no home directory with KEDGE_HOME, and otherwise asks for it in one sentence', function () {
    this.timeout(60_000);
    // Only root can switch to a user that the system does not know.
    if (process.getuid?.() !== 0) this.skip();
    const main = join(import.meta.dirname, '../../../../src/hosts/cli/main.ts');
    const run = (env: Record<string, string>) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [main, 'sessions'], {
        cwd: '/',
        uid: 64_123,
        gid: 64_123,
        env,
        encoding: 'utf8',
      });
      return { status, said: stdout + stderr };
    };
    const none = 'This folder has no sessions yet.\n';
    assert.deepEqual(run({ KEDGE_HOME: join(tmpdir(), `kedge-${crypto.randomUUID()}`) }), { status: 0, said: none });
    const said = 'kedge: Your home folder is unknown, so sessions cannot be stored. Set KEDGE_HOME to a folder for them.\n';
    for (const env of [{}, { HOME: '' }, { HOME: 'here' }] as Record<string, string>[]) assert.deepEqual(run(env), { status: 1, said });
  });

  it('separates folders of the same name', () => {
    assert.notEqual(workspaceStorage('/k', ['/a/app']), workspaceStorage('/k', ['/b/app']));
    assert.match(workspaceStorage('/k', ['/a/my app']), /my_app-[0-9a-f]{12}$/);
  });
});
