import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionError } from '../../src/app/session/session-error.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { VsCodeFileSystem } from '../../src/hosts/vscode/files/file-system.ts';
import { editorWorktrees } from '../../src/hosts/vscode/files/worktrees.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { workPorts } from '../../src/hosts/vscode/work-ports.ts';

const never = new AbortController().signal;

describe('worktrees in the editor', () => {
  let kedge: Kedge;
  let place: string;

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    place = await realpath(await mkdtemp(join(tmpdir(), 'kedge-worktrees-')));
    git('init', '--quiet');
    await writeFile(join(place, 'a.txt'), 'one\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
  });
  after(() => rm(place, { recursive: true }));

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: place, stdio: 'pipe', encoding: 'utf8' });
  const filesIn = (...paths: string[]) =>
    new VsCodeFileSystem(
      paths.map((path, index) => ({ name: `folder ${index}`, uri: vscode.Uri.file(path), index })),
      async () => undefined,
    );
  const parts = (fs: VsCodeFileSystem) => ({ fs, storage: join(place, '.git', 'kedge'), settings: kedge.settings });

  it('are part of what a run of this window can use', async () => {
    const ports = workPorts(kedge);
    try {
      assert.deepEqual(await (await ports.worktrees?.())?.list(), []);
    } finally {
      ports.dispose();
    }
  });

  it('have the files of the folder, and leave its own files alone', async () => {
    const worktrees = editorWorktrees(parts(filesIn(place)));
    try {
      const id = await worktrees.create('session', never);
      const { bytes } = await (await worktrees.open(id, 'session')).fileSystem().read({ folder: 0, path: 'a.txt' });
      assert.equal(Buffer.from(bytes).toString(), 'one\n');
      const tree = git('worktree', 'list', '--porcelain')
        .split('\n')
        .findLast((line) => line.startsWith('worktree '));
      await writeFile(join(tree?.slice('worktree '.length) ?? '', 'a.txt'), 'two\n');
      const { changes } = await worktrees.changes(id, 'session', never);
      assert.deepEqual(
        changes.map(({ path, after }) => [path, after && Buffer.from(after).toString()]),
        [['a.txt', 'two\n']],
      );
      assert.equal(Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.file(join(place, 'a.txt')))).toString(), 'one\n');
      await worktrees.remove(id);
      assert.deepEqual(await worktrees.list(), []);
    } finally {
      worktrees.dispose();
    }
  });

  it('are refused with several folders, and without a folder on this computer', () => {
    const virtual = new VsCodeFileSystem(
      [{ name: 'virtual', uri: vscode.Uri.from({ scheme: 'kedge-none', path: '/' }), index: 0 }],
      async () => undefined,
    );
    for (const fs of [filesIn(place, tmpdir()), filesIn(), virtual])
      assert.throws(
        () => editorWorktrees(parts(fs)),
        (error) => error instanceof SessionError && /^Worktrees need exactly one open folder on this computer\./.test(error.message),
      );
  });
});
