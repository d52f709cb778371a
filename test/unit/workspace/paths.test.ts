import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatPath, PathError, parsePath, relativePath, uniqueNames } from '../../../src/workspace/paths.ts';
import type { Folder } from '../../../src/workspace/types.ts';

const one = [{ name: 'app' }];
const two = [{ name: 'app' }, { name: 'lib' }];

describe('a path as a model writes it', () => {
  it('is relative to the one folder that is open', () => {
    for (const [input, path] of [
      ['src/a.ts', 'src/a.ts'],
      ['./src//a.ts', 'src/a.ts'],
      ['src\\a.ts', 'src/a.ts'],
      ['src/../a.ts', 'a.ts'],
      ['src/', 'src'],
      ['.', ''],
      ['', ''],
      [' a.ts ', 'a.ts'],
      ['...', '...'],
      ['..a/b..', '..a/b..'],
      ['päth/日本.ts', 'päth/日本.ts'],
    ] as const)
      assert.deepEqual(parsePath(input, one), { folder: 0, path }, input);
  });

  it('begins with the name of a folder where there are several', () => {
    assert.deepEqual(parsePath('lib/src/a.ts', two), { folder: 1, path: 'src/a.ts' });
    assert.deepEqual(parsePath('app', two), { folder: 0, path: '' });
    assert.deepEqual(parsePath('app/../lib/x', two), { folder: 1, path: 'x' });
    for (const input of ['src/a.ts', 'App/x', '', '.', 'lib2/x'])
      assert.throws(() => parsePath(input, two), {
        message: 'Several folders are open. Begin the path with the name of a folder: app, lib.',
      });
  });

  it('cannot leave the workspace', () => {
    for (const input of ['..', '../x', 'a/../../x', 'a/b/../../../x', '..\\x', 'a\\..\\..\\x', './../x', ' ../x', '..//..//etc/passwd'])
      for (const folders of [one, two]) assert.throws(() => parsePath(input, folders), PathError, input);
  });

  it('is not an absolute path of any system, and not a URL', () => {
    for (const input of [
      '/etc/passwd',
      '//server/share/x',
      '\\\\server\\share\\x',
      '\\\\?\\C:\\x',
      '\\Windows',
      'C:\\x',
      'c:/x',
      'C:x',
      ' /etc/passwd',
      '~',
      '~/x',
      '~root/x',
      'file:///etc/passwd',
      'vscode-remote://host/x',
      'untitled:x',
    ])
      for (const folders of [one, two]) assert.throws(() => parsePath(input, folders), PathError, input);
  });

  it('may be absolute inside an open folder, in any spelling', () => {
    const folders = [{ name: 'app', roots: ['/private/code/app', '/code/app/'] }];
    for (const [input, path] of [
      ['/code/app/src/a.ts', 'src/a.ts'],
      ['/private/code/app/src/a.ts', 'src/a.ts'],
      ['/code/app', ''],
      ['/code/app/', ''],
      ['//code//app/./src/../a.ts', 'a.ts'],
      ['/code/lib/../app/a.ts', 'a.ts'],
      [' /code/app/a.ts ', 'a.ts'],
      ['\\code\\app\\a.ts', 'a.ts'],
      ['file:///code/app/a%20b.ts', 'a b.ts'],
      ['file://localhost/code/app/a.ts', 'a.ts'],
      ['file:/code/app/a.ts', 'a.ts'],
    ] as const)
      assert.deepEqual(parsePath(input, folders), { folder: 0, path }, input);
    for (const input of [
      '/code/app2/a.ts',
      '/code',
      '/',
      '/code/app/../lib/a.ts',
      '/code/app/../../etc/passwd',
      '/code/APP/a.ts',
      'code/../../x',
      'file:///code/app/../x',
      'file:///code/app/%2e%2e/x',
      'file://code/app/a.ts',
      'file:///code/app/%zz/../../../x',
      'vscode-remote://code/app/a.ts',
    ])
      assert.throws(() => parsePath(input, folders), PathError, input);
    assert.throws(() => parsePath('file:///code/app/%00', folders), { message: 'The path contains a control character. Remove it.' });
  });

  it('may be absolute on Windows, with the drive in either case', () => {
    const folders = [{ name: 'app', roots: ['c:\\code\\app'] }];
    for (const input of ['C:\\code\\app\\src\\a.ts', 'c:/code/app/src/a.ts', '/c:/code/app/src/a.ts', 'file:///C%3A/code/app/src/a.ts'])
      assert.deepEqual(parsePath(input, folders), { folder: 0, path: 'src/a.ts' }, input);
    for (const input of ['D:\\code\\app\\a.ts', 'C:code\\app\\a.ts', 'C:\\code\\app\\..\\x', '/code/app/a.ts'])
      assert.throws(() => parsePath(input, folders), PathError, input);
  });

  it('that is absolute belongs to the innermost folder', () => {
    const folders = [
      { name: 'code', roots: ['/code'] },
      { name: 'app', roots: ['/code/app'] },
      { name: 'remote', roots: [] },
    ];
    assert.deepEqual(parsePath('/code/app/a.ts', folders), { folder: 1, path: 'a.ts' });
    assert.deepEqual(parsePath('/code/lib/a.ts', folders), { folder: 0, path: 'lib/a.ts' });
    assert.equal(relativePath('/code/app/**/*.ts', folders), 'app/**/*.ts');
    assert.equal(relativePath('/etc/*', folders), '/etc/*');
    assert.equal(relativePath('src/*.ts', folders), 'src/*.ts');
  });

  it('contains no control characters', () => {
    for (const input of ['a\0b', 'a\nb', '\u0007', 'a\u007f', 'x/\u0085', '\tsrc/a.ts\r'])
      assert.throws(() => parsePath(input, one), { message: 'The path contains a control character. Remove it.' }, JSON.stringify(input));
  });

  it('is limited in length', () => {
    assert.throws(() => parsePath('x/'.repeat(5_000), one), { message: 'The path is longer than 4,096 characters. Use a shorter path.' });
  });

  it('names nothing when no folder is open', () => {
    assert.throws(() => parsePath('a', []), { message: 'No folder is open. Open a folder first.' });
  });

  it('always resolves to a place in a folder or fails', () => {
    const rooted = [{ name: 'app', roots: ['/a/app'] }];
    const bit = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '~',
      'C:',
      'a',
      'app',
      ' ',
      ':',
      '//',
      '\0',
      '...',
      'lib/',
      '/a/app/',
      'file:///a',
      '%2e',
    );
    const wild = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(bit, { maxLength: 12 }).map((bits) => bits.join('')),
    );
    fc.assert(
      fc.property(wild, fc.constantFrom<Folder[]>(one, two, rooted), (input, folders) => {
        let at: ReturnType<typeof parsePath>;
        try {
          at = parsePath(input, folders);
        } catch (error) {
          assert.ok(error instanceof PathError);
          return;
        }
        assert.ok(folders[at.folder]);
        for (const part of at.path.split('/')) assert.ok(part !== '..' && part !== '.' && !part.includes('\\'));
        assert.ok(!at.path.startsWith('/'));
        // The displayed path resolves to the same place.
        if (at.path === at.path.trim() && !/^([a-z][a-z0-9+.-]*:|~)/i.test(at.path))
          assert.deepEqual(parsePath(formatPath(at, folders), folders), at);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('open folders', () => {
  it('of the same name get different names', () => {
    assert.deepEqual(uniqueNames(['app', 'lib', 'app', 'app']), ['app', 'lib', 'app-2', 'app-3']);
  });

  it('never share a name, whatever they are called', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'a-2', 'a-3', 'b', 'a-2-2')), (names) => {
        assert.equal(new Set(uniqueNames(names)).size, names.length);
      }),
    );
  });

  it('have names that a path can begin with', () => {
    for (const name of ['backend/api', 'a\\b', 'C:', '~me', ' x ', '', '.', '..', '.dotfiles', 'a\nb']) {
      const folders = uniqueNames(['first', name]).map((unique) => ({ name: unique }));
      assert.deepEqual(parsePath(formatPath({ folder: 1, path: 'x' }, folders), folders), { folder: 1, path: 'x' }, name);
    }
  });
});
