import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { withIgnoreFiles } from '../../../src/workspace/ignore.ts';
import { assistantOn, type Files, lastOf } from '../../support/harness.ts';
import { toolsOn } from '../../support/tools.ts';
import { anyRipgrep } from '../hosts/node/folder.ts';

const files: Files = {
  '.kedgeignore': '# not for models\nsecret.txt\n/private/\n*.data\n!public.data\n',
  'a.txt': 'treasure in a\n',
  'secret.txt': 'treasure\n',
  'src/secret.txt': 'treasure\n',
  'src/main.ts': 'treasure map\n',
  'src/private/open.txt': 'treasure chest\n',
  'private/deep/b.txt': 'treasure\n',
  'server.data': 'treasure\n',
  'public.data': 'treasure for all\n',
  'link.txt': '-> private/deep/b.txt',
  inside: '-> private',
  'private/out.txt': '-> ../a.txt',
};
const hidden = (path: string) => `ERROR ${path} is excluded by .kedgeignore.`;

describe('what .kedgeignore hides', () => {
  for (const [how, ripgrep] of [
    ['with ripgrep', anyRipgrep],
    ['without', async () => undefined],
  ] as const)
    it(`is not found, searched or listed, ${how}`, async () => {
      await using disk = await toolsOn(files, { fileSystem: (roots) => new NodeFileSystem(roots, { ripgrep }) });
      assert.equal(await disk.use('find_files', { glob: '*' }), '.kedgeignore\na.txt\npublic.data\nsrc/main.ts\nsrc/private/open.txt');
      assert.equal(await disk.use('find_files', { glob: 'private/**' }), 'No files match private/**.');
      const found = await disk.use('search_text', { pattern: 'treasure' });
      assert.deepEqual(
        found.split('\n').filter((line) => /^\S/.test(line)),
        ['a.txt', 'public.data', 'src/main.ts', 'src/private/open.txt'],
      );
      const shown = '.kedgeignore\na.txt\ninside (link)\nlink.txt (link)\npublic.data\nsrc/ (2 files)\n  main.ts\n  private/ (1 file)';
      assert.equal(await disk.use('list_directory', {}), shown);
    });

  it('does not count towards limits', async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`a${1_000 + index}.data`, 'hit\n']));
    await using disk = await toolsOn({ '.kedgeignore': '*.data\n', ...many, 'z.txt': 'hit\n' });
    assert.equal(await disk.use('find_files', { glob: '*' }), '.kedgeignore\nz.txt');
    assert.equal(await disk.use('search_text', { pattern: 'hit' }), 'z.txt\n  1: hit');
  });

  it('cannot be read, listed or changed, by whatever name', async () => {
    await using disk = await toolsOn(files);
    const before = await disk.snapshot();
    for (const path of [
      'secret.txt',
      './src/../secret.txt',
      'SECRET.txt',
      'Private/deep/b.txt',
      'private',
      'private/',
      'private/new.txt',
      'src/secret.txt',
      'link.txt',
      'inside/deep/b.txt',
      'private/out.txt',
      'x.data',
    ]) {
      const calls: [string, object][] = [
        ['read_file', { path }],
        ['list_directory', { path }],
        ['create_file', { path, content: 'x' }],
        ['create_directory', { path }],
        ['replace_in_file', { path, edits: [{ old_text: 'treasure', new_text: 'x' }] }],
        ['delete_file', { path }],
        ['move_file', { from: path, to: 'stolen.txt' }],
        ['move_file', { from: 'a.txt', to: path }],
      ];
      for (const [name, input] of calls)
        assert.match(await disk.use(name, input), /^ERROR .* is excluded by \.kedgeignore\.$/, `${name} ${path}`);
    }
    assert.equal(await disk.use('read_file', { path: 'link.txt' }), hidden('link.txt'));
    assert.deepEqual(await disk.snapshot(), before);
    assert.equal(await disk.use('read_file', { path: 'public.data' }), '1\ttreasure for all');
    assert.equal(await disk.use('read_file', { path: 'src/private/open.txt' }), '1\ttreasure chest');
  });

  it('cannot be reached by a patch', async () => {
    await using disk = await toolsOn(files, { model: 'gpt-x' });
    const before = await disk.snapshot();
    for (const section of [
      '*** Delete File: secret.txt',
      '*** Add File: private/new.txt\n+x',
      '*** Update File: secret.txt\n@@\n-treasure\n+x',
      '*** Update File: a.txt\n*** Move to: private/a.txt\n@@\n-treasure in a\n+x',
      '*** Update File: server.data\n*** Move to: open.txt\n@@\n-treasure\n+x',
    ])
      assert.match(
        await disk.use('apply_patch', { input: `*** Begin Patch\n${section}\n*** End Patch` }),
        /^ERROR .* is excluded by \.kedgeignore\.$/,
        section,
      );
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('does not include files that only a directory pattern matches, or the reverse', async () => {
    await using disk = await toolsOn({ '.kedgeignore': '*\n!*/\n!*.md\n', 'docs/a.md': 'shown', 'docs/b.txt': 'hidden', 'c.md': 'shown' });
    assert.equal(await disk.use('find_files', { glob: '*' }), 'c.md\ndocs/a.md');
    assert.match(await disk.use('list_directory', { path: 'docs' }), /^a\.md$/m);
    assert.equal(await disk.use('read_file', { path: 'docs/b.txt' }), hidden('docs/b.txt'));
  });

  it('depends on the ignore file of each folder', async () => {
    await using disk = await toolsOn(
      { '.kedgeignore': 'a.txt\n', 'a.txt': 'x', 'b.txt': 'x' },
      { folders: { lib: { '.kedgeignore': 'b.txt\n', 'a.txt': 'x', 'b.txt': 'x' } } },
    );
    assert.equal(await disk.use('find_files', { glob: '*.txt' }), 'workspace/b.txt\nlib/a.txt');
    assert.equal(await disk.use('read_file', { path: 'lib/b.txt' }), hidden('lib/b.txt'));
  });

  it('applies from the next run on, and does not prevent an undo', async () => {
    const edit = call('replace_in_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] });
    const read = call('read_file', { path: 'a.txt' });
    await using kedge = await assistantOn({ 'a.txt': 'one\n' }, [turn(edit), turn(say('Done.')), turn(read), turn(say('Done.'))]);
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'edit', mode: 'agent' });
    assert.equal(await kedge.read('a.txt'), 'two\n');
    await kedge.write('.kedgeignore', 'a.txt\n');
    const { runId } = lastOf(kedge.events, 'run_started');
    await kedge.session.prompt({ text: 'read', mode: 'ask' });
    assert.match(JSON.stringify(lastOf(kedge.events, 'tool_finished').result), /a\.txt is excluded by \.kedgeignore/);
    await kedge.session.changes.undo(runId);
    assert.equal(await kedge.read('a.txt'), 'one\n');
  });

  it('is not guessed when the ignore file cannot be read', async () => {
    await using kedge = await assistantOn({ '.kedgeignore': new Uint8Array([0, 1]) });
    await assert.rejects(withIgnoreFiles(kedge.fs), /^Error: \.kedgeignore cannot be read/);
  });

  it('is not determined by patterns that take very long', async () => {
    await using kedge = await assistantOn({ '.kedgeignore': `secret\n${'**/a/'.repeat(9)}b\n` });
    await assert.rejects(withIgnoreFiles(kedge.fs), /^Error: \.kedgeignore: line 2 contains \*\*\/ more than twice/);
    await kedge.write('.kedgeignore', '**/**/**/generated/**/*.d.ts/**\n');
    assert.equal((await withIgnoreFiles(kedge.fs)).hides?.({ folder: 0, path: 'x/generated/y/a.d.ts/b' }), true);
  });

  it('is not guessed, and does not block, when the ignore file is a pipe', async function () {
    if (process.platform === 'win32') this.skip();
    await using kedge = await assistantOn({});
    execFileSync('mkfifo', [join(kedge.root, '.kedgeignore')]);
    await assert.rejects(withIgnoreFiles(kedge.fs), /^Error: \.kedgeignore cannot be read/);
  });
});
