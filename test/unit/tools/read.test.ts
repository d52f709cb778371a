import assert from 'node:assert/strict';
import { toolsOn } from '../../support/tools.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline ${from + index}`).join('\n');
const text = (count: number, end = '\n') => Array.from({ length: count }, (_, index) => `line ${index + 1}${end}`).join('');

describe('read_file', () => {
  it('gives numbered lines', async () => {
    await using disk = await toolsOn({ 'a.txt': 'one\n\n\tthree' });
    assert.equal(await disk.use('read_file', { path: 'a.txt' }), '1\tone\n2\t\n3\t\tthree');
  });

  it('gives a range, and the total number of lines', async () => {
    await using disk = await toolsOn({ 'a.txt': text(10) });
    const read = (from_line?: number, to_line?: number) => disk.use('read_file', { path: 'a.txt', from_line, to_line });
    assert.equal(await read(3, 4), `${lines(3, 4)}`.concat('\n[lines 3-4 of 10]'));
    assert.equal(await read(9), `${lines(9, 10)}\n[lines 9-10 of 10]`);
    assert.equal(await read(10, 99), `${lines(10, 10)}\n[lines 10-10 of 10]`);
    assert.equal(await read(undefined, 2), `${lines(1, 2)}\n[lines 1-2 of 10]`);
    assert.equal(await read(1, 10), lines(1, 10));
    assert.equal(await read(11), 'ERROR The file has only 10 lines. Use a smaller from_line.');
    assert.equal(await read(5, 4), 'ERROR to_line is before from_line. Use a to_line that is not before from_line.');
    assert.equal(await read('9' as never, '10' as never), `${lines(9, 10)}\n[lines 9-10 of 10]`);
    for (const wrong of [0, -1, 1.5, Number.NaN, 'x' as never])
      assert.match(await read(wrong), /^ERROR The arguments of read_file do not fit/);
  });

  it('returns at most 1000 lines at once, and says where to continue', async () => {
    await using disk = await toolsOn({ 'a.txt': text(2_500) });
    assert.equal(await disk.use('read_file', { path: 'a.txt' }), `${lines(1, 1_000)}\n[lines 1-1000 of 2500; read on with from_line 1001]`);
    assert.match(await disk.use('read_file', { path: 'a.txt', from_line: 2_400 }), /2500\tline 2500\n\[lines 2400-2500 of 2500\]$/);
    assert.match(
      await disk.use('read_file', { path: 'a.txt', from_line: 1, to_line: 1_500 }),
      /\[lines 1-1000 of 2500; read on with from_line 1001\]$/,
    );
  });

  it('cuts very long lines, and limits the total length', async () => {
    await using disk = await toolsOn({ 'min.js': `${'x'.repeat(5_000)}\n`, 'wide.txt': `${'y'.repeat(1_999)}\n`.repeat(500) });
    assert.equal(await disk.use('read_file', { path: 'min.js' }), `1\t${'x'.repeat(2_000)}… [3000 more characters]`);
    const wide = await disk.use('read_file', { path: 'wide.txt' });
    assert.ok(wide.length < 65_000);
    assert.match(wide, /\[lines 1-29 of 500; read on with from_line 30\]$/);
  });

  it('reads every kind of line ending, a byte order mark, and an empty file', async () => {
    await using disk = await toolsOn({
      'crlf.txt': 'a\r\nb\r\n',
      'cr.txt': 'a\rb',
      'mixed.txt': 'a\r\nb\nc',
      'bom.txt': '\uFEFFa\n',
      'empty.txt': '',
      'newline.txt': '\n',
    });
    const read = (path: string) => disk.use('read_file', { path });
    assert.equal(await read('crlf.txt'), '1\ta\n2\tb');
    assert.equal(await read('cr.txt'), '1\ta\n2\tb');
    assert.equal(await read('mixed.txt'), '1\ta\n2\tb\n3\tc');
    assert.equal(await read('bom.txt'), '1\ta');
    assert.equal(await read('empty.txt'), '[the file is empty]');
    assert.equal(await read('newline.txt'), '1\t');
  });

  it('does not display binary files', async () => {
    await using disk = await toolsOn({ 'a.png': new Uint8Array([0x89, 0x50, 0, 1]), 'c.dat': new Uint8Array([0x67, 0xfc, 1]) });
    assert.equal(await disk.use('read_file', { path: 'a.png' }), 'a.png is a binary file of 4 bytes.');
    assert.equal(await disk.use('read_file', { path: 'c.dat' }), 'c.dat is a binary file of 3 bytes.');
  });

  it('shows text from before UTF-8, and says that it is a guess', async () => {
    await using disk = await toolsOn({ 'latin1.txt': new Uint8Array([0x67, 0xfc, 0x6e]) });
    assert.equal(await disk.use('read_file', { path: 'latin1.txt' }), '1\tgün\n[not UTF-8: shown as Windows-1252, and not to be edited]');
  });

  it('names files with the same name elsewhere, ignoring case', async () => {
    await using disk = await toolsOn({ 'src/Main.ts': '', 'a/x.ts': '', 'b/x.ts': '', 'we ird[1].ts': '' });
    const read = (path: string) => disk.use('read_file', { path });
    assert.equal(await read('main.ts'), 'ERROR There is no file main.ts. There is src/Main.ts.');
    assert.equal(await read('x.ts'), 'ERROR There is no file x.ts. There are a/x.ts, b/x.ts.');
    assert.equal(await read('lib/we ird[1].ts'), 'ERROR There is no file lib/we ird[1].ts. There is we ird[1].ts.');
  });

  it("accepts the arguments of other programs' tools", async () => {
    await using disk = await toolsOn({ 'a.txt': text(10) });
    const read = (input: unknown) => disk.use('read_file', input);
    assert.equal(await read({ file_path: 'a.txt', offset: 3, limit: 2 }), `${lines(3, 4)}\n[lines 3-4 of 10]`);
    assert.equal(await read({ path: 'a.txt', limit: 1 }), `${lines(1, 1)}\n[lines 1-1 of 10]`);
    assert.equal(await read({ filePath: 'a.txt', startLine: 9, endLine: '10' }), `${lines(9, 10)}\n[lines 9-10 of 10]`);
    assert.equal(await read({ path: 'a.txt', from_line: null, to_line: null }), lines(1, 10));
  });

  it('says what is there instead of a file', async () => {
    await using disk = await toolsOn({ 'dir/a.txt': 'a' });
    assert.equal(await disk.use('read_file', { path: 'dir' }), 'ERROR dir is not a file but a directory.');
    assert.equal(await disk.use('read_file', { path: '.' }), 'ERROR . is not a file but a directory.');
    assert.equal(await disk.use('read_file', { path: 'none' }), 'ERROR There is no file none. Use find_files to look for it.');
    assert.equal(
      await disk.use('read_file', { path: 'dir/a.txt/b' }),
      'ERROR There is no file dir/a.txt/b. Use find_files to look for it.',
    );
  });
});

describe('find_files', () => {
  it('finds by a glob, without what is ignored', async () => {
    await using disk = await toolsOn({
      'src/a.ts': '',
      'src/b.js': '',
      'c.ts': '',
      'out/d.ts': '',
      '.gitignore': 'out\n',
      '.git/e.ts': '',
    });
    assert.equal(await disk.use('find_files', { glob: '**/*.ts' }), 'c.ts\nsrc/a.ts');
    assert.equal(await disk.use('find_files', { glob: 'src/*' }), 'src/a.ts\nsrc/b.js');
    assert.equal(await disk.use('find_files', { glob: '/src/*.ts' }), 'src/a.ts');
    assert.equal(await disk.use('find_files', { glob: '*.md' }), 'No files match *.md.');
  });

  it('explains globs when one has no wildcard', async () => {
    await using disk = await toolsOn({ 'src/main.ts': '' });
    assert.equal(await disk.use('find_files', { glob: 'main' }), 'No files match main. A glob matches complete names. Try *main*.');
    assert.equal(await disk.use('find_files', { glob: '*.css' }), 'No files match *.css.');
    assert.equal(await disk.use('find_files', { pattern: '*.ts', path: 'src' }), 'src/main.ts');
    assert.equal(await disk.use('find_files', { pattern: '*.js', path: 'src' }), 'No files match src/**/*.js.');
  });

  it('is limited, and says so', async () => {
    await using disk = await toolsOn(Object.fromEntries(Array.from({ length: 520 }, (_, index) => [`f${1_000 + index}`, ''])));
    const found = (await disk.use('find_files', { glob: '*' })).split('\n');
    assert.equal(found.length, 501);
    assert.equal(found.at(-1), '[more than 500 files; use a narrower glob]');
  });

  it('finds nothing outside the workspace', async () => {
    await using disk = await toolsOn({ 'in.txt': '', link: '-> ..' }, { beside: { 'secret.txt': '', 'other/secret.txt': '' } });
    for (const glob of ['../*', '../**', '**/../*', '/../*', 'link/*', 'link/**', '{..,.}/*', '..\\*', '/etc/*', '~/*', '*/../../*'])
      assert.doesNotMatch(await disk.use('find_files', { glob }), /secret/, glob);
  });
});

describe('search_text', () => {
  const files = {
    'src/a.ts': 'const Hello = 1;\nhello();\n',
    'src/b.js': 'hello world\n',
    'c.md': 'othello\n',
    'bin.dat': new Uint8Array([0, 104, 101, 108, 108, 111]),
  };
  const search = async (input: object) => {
    await using disk = await toolsOn(files);
    return await disk.use('search_text', input);
  };

  it('gives path, line number and line', async () => {
    assert.equal(
      await search({ pattern: 'hello' }),
      'c.md\n  1: othello\n\nsrc/a.ts\n  1: const Hello = 1;\n  2: hello();\n\nsrc/b.js\n  1: hello world',
    );
  });

  it('by case, by whole words, by a regular expression, in some files', async () => {
    assert.equal(await search({ pattern: 'Hello', case_sensitive: true }), 'src/a.ts\n  1: const Hello = 1;');
    assert.equal(await search({ pattern: 'hello', whole_word: true, glob: '**/*.{js,md}' }), 'src/b.js\n  1: hello world');
    assert.equal(await search({ pattern: '^hello\\(', regex: true }), 'src/a.ts\n  2: hello();');
    assert.equal(await search({ pattern: 'hello(' }), 'src/a.ts\n  2: hello();');
    assert.equal(await search({ pattern: 'hello', glob: '*.md' }), 'c.md\n  1: othello');
    assert.equal(await search({ pattern: 'none' }), 'No matches for none.');
    assert.equal(await search({ pattern: 'hello', glob: '*.css' }), 'No matches for hello in *.css.');
  });

  it('says what is wrong with a pattern', async () => {
    assert.match(await search({ pattern: '(', regex: true }), /^ERROR .*/);
    assert.match(await search({ pattern: '' }), /^ERROR The arguments of search_text do not fit/);
  });

  it('never interprets a pattern as an option', async () => {
    for (const pattern of ['--files', '-e', '--pre=touch owned', '-f/etc/passwd', '--'])
      assert.match(await search({ pattern }), /^No matches for/, pattern);
  });

  it('is limited, and cuts long lines', async () => {
    await using disk = await toolsOn({ 'many.txt': 'hit\n'.repeat(400), 'z.min.js': `${'z'.repeat(500)} mark` });
    const many = (await disk.use('search_text', { pattern: 'hit' })).split('\n');
    assert.equal(many.length, 1 + 300 + 2);
    assert.equal(many.at(-1), '[more than 300 hits; narrow the search]');
    assert.equal(await disk.use('search_text', { pattern: 'zz' }), `z.min.js\n  1: ${'z'.repeat(240)}…`);
  });

  it('shows the hit of a long line', async () => {
    await using disk = await toolsOn({ 'z.min.js': `${'z'.repeat(500)} mark ${'z'.repeat(500)}` });
    assert.equal(await disk.use('search_text', { pattern: 'MARK' }), `z.min.js\n  1: …${'z'.repeat(59)} mark ${'z'.repeat(175)}…`);
  });

  it('says why a pattern may find nothing', async () => {
    assert.equal(
      await search({ pattern: 'Hello|x' }),
      'No matches for Hello|x. The pattern was searched as plain text. Set regex to use a regular expression.',
    );
    assert.equal(
      await search({ pattern: 'a\\nb', regex: true }),
      'No matches for a\\nb. A match cannot contain a line break. Search for a part of one line.',
    );
  });

  it('accepts a separate directory, as other tools do', async () => {
    assert.equal(await search({ query: 'hello', path: './src/', glob: '*.js' }), 'src/b.js\n  1: hello world');
    assert.equal(await search({ pattern: 'hello(', path: 'src' }), 'src/a.ts\n  2: hello();');
    assert.equal(await search({ pattern: 'othello', path: '.' }), 'c.md\n  1: othello');
  });

  it('finds nothing outside the workspace', async () => {
    await using disk = await toolsOn(
      { 'in.txt': 'x', link: '-> ..', 'file.txt': '-> ../secret.txt' },
      { beside: { 'secret.txt': 'treasure' } },
    );
    for (const glob of [undefined, '../**', '**/../*', '/../*', 'link/**', '*.txt', '..'])
      assert.doesNotMatch(await disk.use('search_text', { pattern: 'treasure', ...(glob && { glob }) }), /secret\.txt|1: treasure/, glob);
  });
});

describe('with several folders open', () => {
  const options = { folders: { lib: { 'b.txt': 'needle in lib' } } };

  it('paths begin with the folder', async () => {
    await using disk = await toolsOn({ 'a.txt': 'needle in workspace' }, options);
    assert.equal(await disk.use('list_directory', {}), 'workspace/\nlib/');
    assert.equal(await disk.use('list_directory', { path: '.' }), 'workspace/\nlib/');
    assert.equal(await disk.use('list_directory', { path: 'lib' }), 'b.txt');
    assert.equal(await disk.use('read_file', { path: 'lib/b.txt' }), '1\tneedle in lib');
    assert.equal(
      await disk.use('read_file', { path: 'a.txt' }),
      'ERROR Several folders are open. Begin the path with the name of a folder: workspace, lib.',
    );
    assert.equal(await disk.use('find_files', { glob: '*.txt' }), 'workspace/a.txt\nlib/b.txt');
    assert.equal(await disk.use('find_files', { glob: 'lib/*.txt' }), 'lib/b.txt');
    assert.equal(await disk.use('find_files', { glob: 'lib' }), 'lib/b.txt');
    assert.match(await disk.use('search_text', { pattern: 'needle' }), /^lib\/b\.txt\n {2}1: needle in lib\n\nworkspace\/a\.txt/);
    assert.equal(await disk.use('create_file', { path: 'lib/new.txt', content: '' }), 'Created lib/new.txt with 0 lines.');
    assert.equal(await disk.use('move_file', { from: 'workspace/a.txt', to: 'lib/a.txt' }), 'Moved workspace/a.txt to lib/a.txt.');
  });

  it('a link from one into the other is the other', async () => {
    await using disk = await toolsOn({ link: '-> ../lib/b.txt' }, options);
    assert.equal(
      await disk.use('replace_in_file', { path: 'workspace/link', edits: [{ old_text: 'needle', new_text: 'pin' }] }),
      'Replaced 1 passage in lib/b.txt.',
    );
  });
});

describe('the title of a search', () => {
  it('shortens a long pattern', async () => {
    await using disk = await toolsOn({});
    const title = async (pattern: string) =>
      (await disk.tool('search_text').prepare({ pattern, glob: 'src/**' }, new AbortController().signal)).title;
    assert.equal(await title('short'), 'Search short in src/**');
    assert.equal(await title('x'.repeat(60)), `Search ${'x'.repeat(40)}… in src/**`);
  });
});
