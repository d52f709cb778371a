import assert from 'node:assert/strict';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { replaceAll } from '../../../src/tools/edit/replace/replace.ts';
import { snapshotOf } from '../../support/harness.ts';
import { toolsOn } from '../../support/tools.ts';

describe('create_file', () => {
  it('creates a file with its directories and exactly the given content', async () => {
    await using disk = await toolsOn({});
    assert.equal(await disk.use('create_file', { path: 'a/b/c.txt', content: '\uFEFFx\r\ny' }), 'Created a/b/c.txt with 2 lines.');
    assert.deepEqual(await readFile(join(disk.root, 'a/b/c.txt')), Buffer.from('\uFEFFx\r\ny'));
    assert.equal(await disk.use('create_file', { path: 'one.txt', content: 'x\n' }), 'Created one.txt with 1 line.');
  });

  it('fails when the path exists', async () => {
    await using disk = await toolsOn({ 'a.txt': 'mine', 'dir/x': '' });
    const before = await disk.snapshot();
    assert.equal(
      await disk.use('create_file', { path: 'a.txt', content: '' }),
      'ERROR a.txt already exists. Use replace_in_file to change it.',
    );
    assert.equal(await disk.use('create_file', { path: 'dir', content: '' }), 'ERROR dir is a directory. Add the name of the file.');
    assert.equal(
      await disk.use('create_file', { path: '', content: '' }),
      'ERROR . is a workspace folder, not a file. Use a path inside it.',
    );
    assert.match(
      await disk.use('create_file', { path: 'a.txt/b', content: '' }),
      /^ERROR a\.txt is not a directory, so it cannot contain files\. Use another path\.$/,
    );
    assert.deepEqual(await disk.snapshot(), before);
  });
});

describe('move_file', () => {
  it('moves the content unchanged', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10]);
    await using disk = await toolsOn({ 'a.bin': bytes });
    assert.equal(await disk.use('move_file', { from: 'a.bin', to: 'd/b.bin' }), 'Moved a.bin to d/b.bin.');
    assert.deepEqual(await disk.snapshot(), {
      '/': 'directory',
      'workspace/': 'directory',
      'workspace/d/': 'directory',
      'workspace/d/b.bin': Buffer.from(bytes).toString('latin1'),
    });
  });

  it('fails when the target exists, and when the source does not', async () => {
    await using disk = await toolsOn({ 'a.txt': 'a', 'b.txt': 'b', 'd/': '' });
    const before = await disk.snapshot();
    assert.equal(await disk.use('move_file', { from: 'a.txt', to: 'b.txt' }), 'ERROR b.txt already exists. Choose another name.');
    assert.equal(await disk.use('move_file', { from: 'a.txt', to: 'a.txt' }), 'ERROR a.txt already exists. Choose another name.');
    assert.equal(await disk.use('move_file', { from: 'a.txt', to: 'd' }), 'ERROR d is a directory. Add the name of the file.');
    assert.equal(await disk.use('move_file', { from: 'd', to: 'e' }), 'ERROR d is not a file but a directory.');
    assert.equal(await disk.use('move_file', { from: 'none', to: 'e' }), 'ERROR There is no file none. Use find_files to look for it.');
    assert.match(
      await disk.use('move_file', { from: 'a.txt', to: 'a.txt/b' }),
      /^ERROR a\.txt is not a directory, so it cannot contain files\. Use another path\.$/,
    );
    assert.deepEqual(await disk.snapshot(), before);
  });
});

describe('delete_file', () => {
  it('deletes one file, and nothing else', async () => {
    await using disk = await toolsOn({ 'd/a.txt': 'a', 'b.txt': 'b' });
    assert.equal(await disk.use('delete_file', { path: 'd/a.txt' }), 'Deleted d/a.txt.');
    assert.equal(await disk.use('delete_file', { path: 'd' }), 'ERROR d is not a file but a directory.');
    assert.equal(await disk.use('delete_file', { path: '.' }), 'ERROR . is not a file but a directory.');
    assert.equal(await disk.use('delete_file', { path: 'none' }), 'ERROR There is no file none. Use find_files to look for it.');
    assert.deepEqual(await disk.snapshot(), {
      '/': 'directory',
      'workspace/': 'directory',
      'workspace/d/': 'directory',
      'workspace/b.txt': 'b',
    });
  });
});

describe('replace_in_file', () => {
  const replace = (text: string, ...edits: Parameters<typeof replaceAll>[1]) => {
    try {
      return replaceAll(text, edits, 'a.txt').text;
    } catch (error) {
      return `ERROR ${(error as Error).message}`;
    }
  };
  const edit = (old_text: string, new_text: string, all?: boolean) => ({ old_text, new_text, ...(all && { all }) });

  it('replaces a passage that occurs once', () => {
    assert.equal(replace('one two three', edit('two', '2')), 'one 2 three');
    assert.equal(replace('a\nb\nc\n', edit('b\n', '')), 'a\nc\n');
    assert.equal(replace('cost: $1', edit('$1', '$& $$ $`')), 'cost: $& $$ $`');
  });

  it('or, with all, every occurrence', () => {
    assert.equal(replace('a a a', edit('a', 'b', true)), 'b b b');
    assert.equal(replace('aaaaa', edit('aa', 'b', true)), 'bba');
  });

  it('applies several edits to the original text', () => {
    assert.equal(replace('a b', edit('a', 'b'), edit('b', 'a')), 'b a');
    assert.equal(replace('ab', edit('b', 'B'), edit('a', 'A')), 'AB');
  });

  it('names the lines of a passage that occurs several times', () => {
    assert.equal(
      replace('x\ny\nx\n', edit('x', 'z')),
      'ERROR old_text of edit 1 occurs 2 times in a.txt, at lines 1, 3. Give more lines around it, or set all.\n1\tx\n2\ty\n…\n2\ty\n3\tx',
    );
    assert.match(replace('x\n'.repeat(9), edit('x', 'z')), /occurs 9 times in a\.txt, at lines 1, 2, 3, 4, 5, …\./);
    const tooMany = /^ERROR The passage occurs more than 100,000 times\. Give more lines/;
    assert.match(replace('x'.repeat(200_000), edit('x', 'z', true)), tooMany);
    assert.match(replace('’'.repeat(200_000), edit("'", '"', true)), tooMany);
    assert.match(replace(' ’\n'.repeat(200_000), edit("'\n", '"\n', true)), tooMany);
  });

  it('counts overlapping passages separately', () => {
    assert.match(replace('}\n}\n}\n', edit('}\n}\n', ']')), /occurs 2 times in a\.txt, at lines 1, 2/);
  });

  it('shows the nearest passage when there is none', () => {
    assert.match(
      replace('function a() {\n    return 1;\n}\n', edit('return 2;\n  }', 'x')),
      /^ERROR old_text of edit 1 is not in a\.txt\. Copy the lines from the nearest passage:\n(1\tfunction a\(\) \{\n)?2\t {4}return 1;\n3\t\}/,
    );
    assert.equal(replace('abc', edit('xyz', '')), 'ERROR old_text of edit 1 is not in a.txt. Read the file again.');
  });

  it('refuses edits that overlap, that are empty or that change nothing', () => {
    assert.equal(replace('abc', edit('ab', 'x'), edit('bc', 'y')), 'ERROR Edits 1 and 2 overlap at line 1 of a.txt. Join the edits.');
    assert.equal(replace('abc', edit('', 'x')), 'ERROR old_text of edit 1 is empty. Give the passage to replace.');
    assert.equal(replace('abc', edit('b', 'b')), 'ERROR The edits change nothing in a.txt. Read the file again.');
  });

  it('fills an empty file', () => {
    assert.equal(replace('', edit('', 'hello\n')), 'hello\n');
  });

  it('keeps \\r\\n in a file, although models write \\n', () => {
    assert.equal(replace('a\r\nb\r\nc\r\n', edit('a\nb\n', 'x\ny\nz\n')), 'x\r\ny\r\nz\r\nc\r\n');
    assert.equal(replace('a\r\nb\r\n', edit('a', 'a\nnew')), 'a\r\nnew\r\nb\r\n');
    assert.equal(replace('a\r\nb\r\n', edit('a\r\n', 'x\r\n')), 'x\r\nb\r\n');
    assert.equal(replace('a\nb\r\nc\n', edit('b', 'b')), 'ERROR The edits change nothing in a.txt. Read the file again.');
    assert.equal(replace('a\nb\r\nc\n', edit('a\nb', 'x\ny')), 'x\ny\r\nc\n');
    assert.equal(replace('a\nb\r\nc\r\n', edit('b\nc', 'x\ny')), 'a\nx\r\ny\r\n');
  });

  it('keeps all other bytes', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', 'é', '\uFEFF') });
    fc.assert(
      fc.property(piece, piece, piece, (before, after, now) => {
        const original = `${before}<<mark>>${after}`;
        const text = replace(original, edit('<<mark>>', now));
        assert.ok(text.startsWith(before) && text.endsWith(after));
        assert.equal(text.slice(before.length, text.length - after.length).replaceAll('\r\n', '\n'), now.replaceAll('\r\n', '\n'));
        if (/\n/.test(original) && !/(?<!\r)\n/.test(original)) assert.doesNotMatch(text, /(?<!\r)\n/);
      }),
    );
  });

  it('edits a file on disk, its byte order mark kept', async () => {
    await using disk = await toolsOn({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
    assert.equal(
      await disk.use('replace_in_file', { path: 'a.txt', edits: [edit('one', '1'), edit('two', '2\n3')] }),
      'Replaced 2 passages in a.txt.',
    );
    assert.equal(await disk.read('a.txt'), '\uFEFF1\r\n2\r\n3\r\n');
  });

  it('explains why it fails', async () => {
    await using disk = await toolsOn({ 'a.bin': new Uint8Array([0, 1]), 'd/': '' });
    const use = (path: string, edits: unknown = [edit('a', 'b')]) => disk.use('replace_in_file', { path, edits });
    assert.equal(await use('a.bin'), 'ERROR a.bin is not UTF-8 text, so it cannot be edited. Ask the user to convert the file to UTF-8.');
    assert.equal(await use('d'), 'ERROR d is not a file but a directory.');
    assert.equal(await use('none'), 'ERROR There is no file none. Use find_files to look for it.');
    assert.match(await use('a.bin', []), /^ERROR The arguments of replace_in_file do not fit/);
  });
});

describe('no tool leaves the workspace', () => {
  const LINKS = {
    'inside.txt': 'in\n',
    'dir/x.txt': 'x\n',
    'to-file': '-> ../secret.txt',
    'to-dir': '-> ../outside',
    'to-parent': '-> ..',
    'to-root': '-> /',
    dangling: '-> ../outside/not-yet.txt',
    'dangling-deep': '-> ../nowhere/not-yet.txt',
    loop: '-> loop',
    ping: '-> pong',
    pong: '-> ping',
    'by-way-of': '-> to-dir/deep/../../secret.txt',
    'dir/up': '-> ../../outside',
  };
  const beside = { 'secret.txt': 'secret\n', 'outside/kept.txt': 'kept\n', 'outside/deep/': '' };
  const HOSTILE = [
    ...[
      '../secret.txt',
      '..\\secret.txt',
      'dir/../../secret.txt',
      '/etc/hosts',
      'C:\\x',
      'C:x',
      '\\\\host\\share\\x',
      '//host/share',
      '~/x',
      '~',
    ],
    ...['a\0b', 'a\nb', 'file:///etc/hosts', 'to-file', 'to-dir/kept.txt', 'to-dir/new.txt', 'to-dir/deep/new.txt', 'to-parent/secret.txt'],
    ...[
      'to-parent/new.txt',
      'to-root/etc/hosts',
      'dangling',
      'dangling-deep',
      'loop',
      'loop/x',
      'ping',
      'by-way-of',
      'dir/up/kept.txt',
      'dir/up/new',
    ],
  ];

  it('by any path', async () => {
    await using disk = await toolsOn(LINKS, { beside });
    const before = await snapshotOf(disk.parent, { times: true });
    for (const path of HOSTILE) {
      const attempts: [string, object][] = [
        ['read_file', { path }],
        ['list_directory', { path }],
        ['create_file', { path, content: 'owned' }],
        ['replace_in_file', { path, edits: [{ old_text: 'secret', new_text: 'owned' }] }],
        ['delete_file', { path }],
        ['move_file', { from: path, to: 'taken.txt' }],
        ['move_file', { from: 'inside.txt', to: path }],
      ];
      for (const [name, input] of attempts)
        assert.match(await disk.use(name, input), /^ERROR (?!The tool failed)/, `${name} ${JSON.stringify(input)}`);
    }
    assert.deepEqual(await snapshotOf(disk.parent, { times: true }), before);
  });

  it('follows a link that stays inside, and says where it leads', async () => {
    await using disk = await toolsOn({ 'real/a.txt': 'a\n', link: '-> real/a.txt', dir: '-> real', 'new-by-link': '-> real/b.txt' });
    assert.equal(await disk.use('read_file', { path: 'link' }), '1\ta');
    assert.equal(
      await disk.use('replace_in_file', { path: 'link', edits: [{ old_text: 'a', new_text: 'b' }] }),
      'Replaced 1 passage in real/a.txt.',
    );
    assert.equal(await readlink(join(disk.root, 'link')), 'real/a.txt');
    assert.equal(await disk.use('create_file', { path: 'dir/c.txt', content: '' }), 'Created real/c.txt with 0 lines.');
    assert.equal(await disk.use('create_file', { path: 'new-by-link', content: '' }), 'Created real/b.txt with 0 lines.');
  });

  it('does not move or delete what a link leads to', async () => {
    await using disk = await toolsOn({ 'real.txt': 'a', link: '-> real.txt' });
    const error = 'ERROR link is a symbolic link to real.txt. Use the path of that file.';
    assert.equal(await disk.use('delete_file', { path: 'link' }), error);
    assert.equal(await disk.use('move_file', { from: 'link', to: 'x' }), error);
    assert.equal(await disk.use('delete_file', { path: './link' }), error.replace('link', './link'));
  });
});
