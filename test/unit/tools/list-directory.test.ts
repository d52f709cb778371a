import assert from 'node:assert/strict';
import { toolsOn } from '../../support/tools.ts';

const many = (count: number, lead = 'f') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${lead}${1_000 + index}`, '']));

describe('list_directory', () => {
  it('is a tree with the number of files in each directory', async () => {
    await using disk = await toolsOn({ 'b.txt': '', 'a/x': '', 'a/deep/y': '', 'a/deep/er/z': '', '.hidden': '', 'empty/': '' });
    assert.equal(await disk.use('list_directory', {}), '.hidden\na/ (3 files)\n  deep/ (2 files)\n  x\nb.txt\nempty/ (empty)');
    assert.equal(await disk.use('list_directory', { depth: 1 }), '.hidden\na/ (3 files)\nb.txt\nempty/ (empty)');
    assert.equal(await disk.use('list_directory', { path: './a/', depth: 3 }), 'deep/ (2 files)\n  er/ (1 file)\n    z\n  y\nx');
    assert.equal(await disk.use('list_directory', { path: 'empty' }), '[the directory is empty]');
  });

  it('names ignored entries, and neither counts nor opens them', async () => {
    await using disk = await toolsOn({
      '.gitignore': 'node_modules\n*.log\n/out/\n',
      'node_modules/a/index.js': '',
      'out/b.js': '',
      'src/c.ts': '',
      'src/node_modules/d.js': '',
      'debug.log': '',
      ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`src/trace${index}.log`, ''])),
    });
    assert.equal(
      await disk.use('list_directory', {}),
      [
        '.gitignore',
        'debug.log (ignored)',
        'node_modules/ (ignored)',
        'out/ (ignored)',
        'src/ (1 file)',
        '  c.ts',
        '  node_modules/ (ignored)',
        '  trace0.log (ignored)',
        '  trace1.log (ignored)',
        '  trace2.log (ignored)',
        '  trace3.log (ignored)',
        '  [5 more ignored]',
      ].join('\n'),
    );
    assert.equal(await disk.use('list_directory', { path: 'out' }), 'b.js\n[all of this is ignored, or empty]');
  });

  it('does not follow links', async () => {
    await using disk = await toolsOn({ 'a/x': '', again: '-> a', file: '-> a/x', gone: '-> nowhere' });
    assert.equal(await disk.use('list_directory', {}), 'a/ (1 file)\n  x\nagain/ (link)\nfile (link)\ngone (link)');
  });

  it('lists names that contain glob characters', async () => {
    await using disk = await toolsOn({ 'app/[id]/page.tsx': '', 'app/i/page.tsx': '', 'a{b}/c': '', 'star*/d': '' });
    assert.equal(await disk.use('list_directory', { path: 'app/[id]' }), 'page.tsx');
    assert.equal(await disk.use('list_directory', { path: 'app' }), '[id]/ (1 file)\n  page.tsx\ni/ (1 file)\n  page.tsx');
    assert.equal(await disk.use('list_directory', { path: 'a{b}' }), 'c');
    assert.equal(await disk.use('list_directory', { path: 'star*' }), 'd');
  });

  it('reports what else is at the path', async () => {
    await using disk = await toolsOn({ 'a.txt': '' });
    assert.equal(await disk.use('list_directory', { path: 'a.txt' }), 'ERROR a.txt is a file. Use read_file.');
    assert.equal(await disk.use('list_directory', { path: 'none' }), 'ERROR There is no directory none. List its parent directory.');
  });

  it('is limited, most of all in subdirectories', async () => {
    await using disk = await toolsOn({ ...many(520), ...many(60, 'a/g') });
    const names = (await disk.use('list_directory', {})).split('\n');
    assert.equal(names.length, 501);
    assert.equal(names[0], 'a/ (60 files)');
    assert.equal(names.at(-1), '[21 more entries]');
    await using other = await toolsOn({ ...many(2), ...many(60, 'a/g') });
    const lines = (await other.use('list_directory', {})).split('\n');
    assert.equal(lines.length, 1 + 40 + 1 + 2);
    assert.equal(lines[41], '  [20 more entries]');
  });
});
