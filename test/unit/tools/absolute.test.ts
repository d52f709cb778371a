import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findReachedPaths } from '../../../src/app/facts/command-paths.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { toolsFor } from '../../../src/tools/index.ts';
import { proposePlanTool } from '../../../src/tools/plan/plan-tools.ts';
import { WriteGate } from '../../../src/workspace/gate.ts';
import { Workspace } from '../../../src/workspace/workspace.ts';
import { executeContext } from '../../support/context.ts';

/** Opens two folders, one of them through a link, and creates one that is not open. */
async function opened(names: readonly string[]) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-absolute-')));
  for (const name of ['app', 'lib', 'other']) {
    await mkdir(join(base, name, 'src'), { recursive: true });
    await writeFile(join(base, name, 'src/a.ts'), `const ${name} = 1;\n`);
  }
  await symlink(join(base, 'app'), join(base, 'alias'));
  const fs = new NodeFileSystem(names.map((name) => join(base, name)));
  const workspace = new Workspace(fs);
  const gate = new WriteGate(workspace, new NodeWriter(fs, { journal: join(base, 'journal') }), new DiskBlobs(join(base, 'blobs')));
  const tools = ['gpt-x', 'other'].flatMap((model) => toolsFor(workspace, { mode: 'agent', gate, model: { provider: 'any', model } }));
  const { signal } = new AbortController();
  return {
    base,
    fs,
    workspace,
    async use(name: string, input: unknown): Promise<string> {
      const tool = tools.find((each) => each.name === name);
      assert.ok(tool, name);
      try {
        const { content } = await (await tool.prepare(input, signal)).execute(executeContext(signal));
        return typeof content === 'string' ? content : JSON.stringify(content);
      } catch (error) {
        return `ERROR ${(error as Error).message}`;
      }
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

describe('an absolute path into an open folder', () => {
  it('names its file, for all tools', async () => {
    await using disk = await opened(['alias']);
    const at = (path: string, folder = 'app') => join(disk.base, folder, path);
    for (const path of [at('src/a.ts'), at('src/a.ts', 'alias'), pathToFileURL(at('src/a.ts')).href])
      assert.equal(await disk.use('read_file', { path }), '1\tconst app = 1;', path);
    assert.match(await disk.use('list_directory', { path: at('src/') }), /a\.ts/);
    assert.match(await disk.use('list_directory', { path: at('') }), /src/);
    for (const input of [
      { glob: at('**/*.ts') },
      { glob: '*.ts', path: at('src') },
      { path: at('src/a.ts') },
      { glob: '**/*.ts', path: at('') },
    ])
      assert.equal(await disk.use('find_files', input), 'src/a.ts', JSON.stringify(input));
    for (const input of [{ glob: at('src/*.ts') }, { path: at('src') }, { path: at('', 'alias') }])
      assert.match(await disk.use('search_text', { pattern: 'const', ...input }), /^src\/a\.ts\n/, JSON.stringify(input));
    assert.equal(
      await disk.use('replace_in_file', { path: at('src/a.ts', 'alias'), edits: [{ old_text: '1', new_text: '2' }] }),
      'Replaced 1 passage in src/a.ts.',
    );
    const patch = `*** Begin Patch\n*** Update File: ${at('src/a.ts')}\n@@\n-const app = 2;\n+const app = 3;\n*** End Patch\n`;
    assert.equal(await disk.use('apply_patch', { input: patch }), 'Updated src/a.ts.');
    assert.match(await disk.use('create_file', { path: at('src/b.ts'), content: 'x' }), /^Created src\/b\.ts/);
    assert.match(await disk.use('create_directory', { path: at('docs') }), /^Created .*docs/);
    assert.equal(await disk.use('move_file', { from: at('src/b.ts'), to: at('docs/c.ts', 'alias') }), 'Moved src/b.ts to docs/c.ts.');
    assert.equal(await disk.use('delete_file', { path: at('docs/c.ts') }), 'Deleted docs/c.ts.');
    assert.equal(await readFile(at('src/a.ts'), 'utf8'), 'const app = 3;\n');
  });

  it('is resolved in the right one of several open folders', async () => {
    await using disk = await opened(['alias', 'lib']);
    assert.equal(await disk.use('read_file', { path: join(disk.base, 'lib/src/a.ts') }), '1\tconst lib = 1;');
    assert.equal(await disk.use('find_files', { glob: join(disk.base, 'alias/**/*.ts') }), 'app/src/a.ts');
  });

  it('outside the folders is refused, also through links and dots', async () => {
    await using disk = await opened(['app']);
    const outside = ['other/src/a.ts', 'app/../other/src/a.ts', 'app2/a.ts', 'alias/src/a.ts', ''].map((path) => join(disk.base, path));
    for (const path of [...outside, `${disk.base}/app/../other/src/a.ts`, '/etc/passwd', pathToFileURL('/etc/passwd').href]) {
      assert.match(await disk.use('read_file', { path }), /^ERROR .* is not a path relative to the workspace/, path);
      assert.match(await disk.use('create_file', { path, content: 'x' }), /^ERROR .* is not a path relative to the workspace/, path);
    }
    await symlink(join(disk.base, 'other'), join(disk.base, 'app/out'));
    assert.match(
      await disk.use('read_file', { path: join(disk.base, 'app/out/src/a.ts') }),
      /leads outside the workspace through a symbolic link/,
    );
  });

  it('is stored in a plan as the path that is written later', async () => {
    await using disk = await opened(['app']);
    const steps = [{ title: 'one', files: [join(disk.base, 'app/src/*.ts'), 'b.ts'] }];
    const { signal } = new AbortController();
    const prepared = await proposePlanTool(disk.workspace, { newId: () => 'id' }).prepare({ goal: 'g', steps }, signal);
    const { events } = await prepared.execute(executeContext(signal));
    assert.deepEqual(
      events?.flatMap((event) => (event.type === 'plan_proposed' ? event.plan.steps.map(({ files }) => files) : [])),
      [['src/*.ts', 'b.ts']],
    );
  });

  it('is recognized in a command, wherever that runs', async () => {
    await using disk = await opened(['app']);
    const named = { names: new Set<string>(), searched: [], globs: new Set<string>(), folders: [] };
    const words = [join(disk.base, 'app/src/a.ts')];
    for (const cwd of ['.', 'src'])
      assert.deepEqual((await findReachedPaths({ ...named, words }, cwd, disk.fs, () => true)).paths, ['src/a.ts'], cwd);
  });
});
