import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { includeOf } from '../../../../src/hosts/node/search/include-glob.ts';
import { matcherOf, matchingLines } from '../../../../src/hosts/node/search/matching-lines.ts';
import { findRipgrep } from '../../../../src/hosts/node/search/ripgrep.ts';
import type { SearchQuery } from '../../../../src/workspace/types.ts';
import { assertCheap } from '../../../support/clock.ts';
import { anyRipgrep, folderOf, remove } from './folder.ts';

const FILES = {
  '.gitignore': 'node_modules\n*.log\n/build/\n!keep.log\n',
  '.github/workflows/ci.yml': 'needle: yes\n',
  '.git/config': 'needle\n',
  'app/(auth)/[id]/page.tsx': 'needle page\n',
  'build/out.js': 'needle\n',
  'crlf.txt': 'one\r\nneedle two\r\n',
  'data.bin': Buffer.from('needle\n\0\n'),
  'keep.log': 'needle kept\n',
  'node_modules/x/index.js': 'needle\n',
  'noise.log': 'needle\n',
  'package.json': '{ "needle": 1 }\n',
  'src/a.ts': 'const needle = 1;\nconst Needles = 2;\n',
  'src/deep/b.ts': '// a needle\n',
  'src/deep/b.test.ts': '// needle in a test\n',
  'src/deep/.gitignore': 'c.ts\n',
  'src/deep/c.ts': 'needle\n',
  'src2/a.ts': 'needle\n',
  'tool/src/d.ts': 'needle\n',
  'tool/package.json': '{}\n',
};
const ALL = [
  '.github/workflows/ci.yml',
  '.gitignore',
  'app/(auth)/[id]/page.tsx',
  'crlf.txt',
  'data.bin',
  'keep.log',
  'package.json',
  'src/a.ts',
  'src/deep/.gitignore',
  'src/deep/b.test.ts',
  'src/deep/b.ts',
  'src2/a.ts',
  'tool/package.json',
  'tool/src/d.ts',
];
const never = new AbortController().signal;

function query(pattern: string, more: Partial<SearchQuery> = {}): SearchQuery {
  return { pattern, regex: false, caseSensitive: false, wholeWord: false, limit: 1_000, ...more };
}

describe('find and search on Node', () => {
  for (const means of ['ripgrep', 'walking'] as const) {
    describe(`by ${means}`, () => {
      let folder: string;
      let fs: NodeFileSystem;
      before(async function () {
        const rg = await anyRipgrep();
        if (means === 'ripgrep' && !rg) this.skip();
        folder = await folderOf(FILES);
        fs = new NodeFileSystem([folder], { ripgrep: async () => (means === 'ripgrep' ? rg : undefined) });
      });
      after(() => folder && remove(folder));

      const find = async (include?: string, limit = 100) => {
        const found = await fs.find({ limit, ...(include && { include }) }, never);
        return found.files.map(({ path }) => path);
      };
      const search = async (given: SearchQuery) => {
        const hits: string[] = [];
        for await (const { path, line, text } of fs.search(given, never)) hits.push(`${path}:${line}:${text}`);
        return hits.sort();
      };

      it('leaves out ignored files, also outside a repository', async () => {
        assert.deepEqual(await find(), ALL);
        assert.deepEqual(await find('**'), ALL);
      });

      const globs: [string, string[]][] = [
        ['*.tsx', ['app/(auth)/[id]/page.tsx']],
        ['**/*.test.ts', ['src/deep/b.test.ts']],
        ['src/*.ts', ['src/a.ts']],
        ['/src/*.ts', ['src/a.ts']],
        ['src/**/*.ts', ['src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts']],
        ['src', ['src/a.ts', 'src/deep/.gitignore', 'src/deep/b.test.ts', 'src/deep/b.ts']],
        ['./src/deep/', ['src/deep/.gitignore', 'src/deep/b.test.ts', 'src/deep/b.ts']],
        ['src/d*/', ['src/deep/.gitignore', 'src/deep/b.test.ts', 'src/deep/b.ts']],
        ['*/src/**', ['tool/src/d.ts']],
        ['{src,tool}/**/*.{ts,json}', ['src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts', 'tool/package.json', 'tool/src/d.ts']],
        ['{src/a,tool/src/d}.ts', ['src/a.ts', 'tool/src/d.ts']],
        ['package.json', ['package.json', 'tool/package.json']],
        ['src/a.ts', ['src/a.ts']],
        ['?rc/a.ts', ['src/a.ts']],
        ['[r-t]rc*/a.ts', ['src/a.ts', 'src2/a.ts']],
        ['app/(auth)/**', ['app/(auth)/[id]/page.tsx']],
        ['app/(auth)/[id]/*.tsx', ['app/(auth)/[id]/page.tsx']],
        ['app/(auth)/[id]/page.tsx', ['app/(auth)/[id]/page.tsx']],
        ['.github', ['.github/workflows/ci.yml']],
        ['*.yml', ['.github/workflows/ci.yml']],
        ['*.log', ['keep.log']],
        ['node_modules/**', []],
        ['build/*.js', []],
        ['!src/**', []],
        ['#*', []],
        ['-rf', []],
      ];
      for (const [glob, expected] of globs) it(`finds ${glob}`, async () => assert.deepEqual(await find(glob), expected));

      it('returns the first files by name, and says when there are more', async () => {
        const found = await fs.find({ limit: 3 }, never);
        assert.deepEqual(
          found.files.map(({ path }) => path),
          ALL.slice(0, 3),
        );
        assert.equal(found.truncated, true);
        assert.equal((await fs.find({ limit: ALL.length }, never)).truncated, false);
      });

      it('returns lines with their numbers, without their endings, and no binary files', async () => {
        assert.deepEqual(await search(query('needle')), [
          '.github/workflows/ci.yml:1:needle: yes',
          'app/(auth)/[id]/page.tsx:1:needle page',
          'crlf.txt:2:needle two',
          'keep.log:1:needle kept',
          'package.json:1:{ "needle": 1 }',
          'src/a.ts:1:const needle = 1;',
          'src/a.ts:2:const Needles = 2;',
          'src/deep/b.test.ts:1:// needle in a test',
          'src/deep/b.ts:1:// a needle',
          'src2/a.ts:1:needle',
          'tool/src/d.ts:1:needle',
        ]);
      });

      it('supports case, whole words and globs', async () => {
        assert.deepEqual(await search(query('Needle', { caseSensitive: true })), ['src/a.ts:2:const Needles = 2;']);
        assert.deepEqual(await search(query('needles', { wholeWord: true })), ['src/a.ts:2:const Needles = 2;']);
        assert.deepEqual(await search(query('needl', { wholeWord: true })), []);
        assert.deepEqual(await search(query('needle', { include: '*.test.ts' })), ['src/deep/b.test.ts:1:// needle in a test']);
        assert.deepEqual(await search(query('needle', { include: 'tool' })), ['tool/src/d.ts:1:needle']);
      });

      it('searches a text literally and a regular expression as one', async () => {
        assert.deepEqual(await search(query('needle.*1')), []);
        assert.deepEqual(await search(query('needle.*1;$', { regex: true })), ['src/a.ts:1:const needle = 1;']);
        assert.deepEqual(await search(query('two$', { regex: true })), ['crlf.txt:2:needle two']);
        assert.deepEqual(await search(query('(?i)NEEDLE two', { regex: true, caseSensitive: true })), ['crlf.txt:2:needle two']);
        assert.deepEqual(await search(query('needle\\-? two', { regex: true })), ['crlf.txt:2:needle two']);
        assert.deepEqual(await search(query('a (?=needle)', { regex: true })), ['src/deep/b.ts:1:// a needle']);
      });

      it('never interprets a pattern as an option', async () => {
        assert.deepEqual(await search(query('--files')), []);
        assert.deepEqual(await search(query('-e')), []);
        assert.deepEqual(await search(query('--pre=touch', { regex: true })), []);
      });

      it('says what is wrong with a pattern', async () => {
        await assert.rejects(search(query('need(le', { regex: true })), /^Error: The regular expression is not valid: \S.*\.$/);
        await assert.rejects(search(query('a\nb')), /contains a line break/);
      });

      it('stops at the limit', async () => {
        assert.equal((await search(query('needle', { limit: 4 }))).length, 4);
      });

      it('returns the first lines by name, whichever files were read first', async () => {
        const names = Array.from({ length: 60 }, (_, index) => `d${index % 6}/f${String(index).padStart(2, '0')}.txt`);
        const other = await folderOf(Object.fromEntries(names.map((name, index) => [name, 'needle\n'.repeat(index % 7)])));
        try {
          const one = new NodeFileSystem([other], { ripgrep: async () => (means === 'ripgrep' ? anyRipgrep() : undefined) });
          const first = async (limit: number) => {
            const places: string[] = [];
            for await (const { path, line } of one.search(query('needle', { limit }), never)) places.push(`${path}:${line}`);
            return places;
          };
          const all = await first(1_000);
          for (const limit of [0, 1, 3, 20, 100]) assert.deepEqual(await first(limit), all.slice(0, limit));
        } finally {
          await remove(other);
        }
      });

      for (const [where, pipes] of [
        ['at the top', ['.gitignore', '.ignore', '.rgignore', '.kedgeignore']],
        ['in a repository', ['.git/info/exclude']],
        ['deeper down', ['src/deep/.ignore']],
        ['in the place of files', ['.env', 'src/main.ts']],
      ] as const)
        it(`does not block at a pipe, ${where}`, async function () {
          if (process.platform === 'win32') this.skip();
          const other = await folderOf({
            'src/a.txt': 'needle\n',
            'src/deep/b.txt': 'needle\n',
            '.git/info/x': '',
            'own/.gitignore': 'no.txt\n',
            'own/no.txt': 'needle',
          });
          try {
            for (const pipe of pipes) execFileSync('mkfifo', [join(other, pipe)]);
            const one = new NodeFileSystem([other], { ripgrep: async () => (means === 'ripgrep' ? anyRipgrep() : undefined) });
            const hits: string[] = [];
            for await (const { path } of one.search(query('needle'), never)) hits.push(path);
            assert.deepEqual(hits.sort(), ['src/a.txt', 'src/deep/b.txt']);
            const found = await one.find({ limit: 100, include: '*.txt' }, never);
            assert.deepEqual(
              found.files.map(({ path }) => path),
              hits,
            );
            for (const path of pipes) await assert.rejects(one.read({ folder: 0, path }), /not a regular file/);
          } finally {
            await remove(other);
          }
        });

      it('stops when it is aborted, before and while it runs', async () => {
        const controller = new AbortController();
        const hits = fs.search(query('needle'), controller.signal)[Symbol.asyncIterator]();
        await hits.next();
        controller.abort();
        await assert.rejects(async () => {
          while (!(await hits.next()).done);
        }, /abort/i);
        await assert.rejects(fs.find({ limit: 5 }, controller.signal), /abort/i);
      });

      it('cuts a very long line, and continues after it', async () => {
        const other = await folderOf({ 'long.txt': `${'x'.repeat(300_000)}needle${'y'.repeat(300_000)}\nneedle\n` });
        try {
          const one = new NodeFileSystem([other], { ripgrep: async () => (means === 'ripgrep' ? anyRipgrep() : undefined) });
          const hits: [number, number][] = [];
          for await (const { line, text } of one.search(query('needle'), never)) hits.push([line, text.length]);
          assert.deepEqual(hits, [
            [1, 2_000],
            [2, 6],
          ]);
        } finally {
          await remove(other);
        }
      });

      it('follows no link, and skips unreadable files and those that turn out to be binary', async () => {
        const other = await folderOf({
          'a.txt': 'needle\n',
          'late.bin': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(500_000, '\n'), Buffer.from('\0')]),
          'z.txt': 'needle\n',
        });
        try {
          await symlink('..', join(other, 'round'));
          await symlink('a.txt', join(other, 'link.txt'));
          await writeFile(join(other, 'secret.txt'), 'needle\n');
          await chmod(join(other, 'secret.txt'), 0);
          const one = new NodeFileSystem([other], { ripgrep: async () => (means === 'ripgrep' ? anyRipgrep() : undefined) });
          const paths = new Set<string>();
          for await (const { path } of one.search(query('needle'), never)) paths.add(path);
          assert.ok(paths.has('a.txt') && paths.has('z.txt'), [...paths].join());
          assert.ok(!paths.has('link.txt') && [...paths].every((path) => !path.includes('WARNING') && !path.startsWith('round')));
        } finally {
          await remove(other);
        }
      });

      it('uses the ignore files of the repository that contains the folder, and nothing above it', async () => {
        const outer = await folderOf({
          '.gitignore': '*.ts\n',
          'repo/.git/HEAD': '',
          'repo/.git/info/exclude': 'private.txt\n',
          'repo/.gitignore': '*.js\n',
          'repo/pack/a.js': '',
          'repo/pack/a.ts': '',
          'repo/private.txt': '',
        });
        try {
          const paths = async (at: string) => {
            const one = new NodeFileSystem([join(outer, at)], { ripgrep: async () => (means === 'ripgrep' ? anyRipgrep() : undefined) });
            return (await one.find({ limit: 10 }, never)).files.map(({ path }) => path);
          };
          assert.deepEqual(await paths('repo'), ['.gitignore', 'pack/a.ts']);
          assert.deepEqual(await paths('repo/pack'), ['a.ts']);
          await writeFile(join(outer, 'repo/.gitignore'), '*.js\npack/\n');
          assert.deepEqual(await paths('repo/pack'), ['a.ts']);
        } finally {
          await remove(outer);
        }
      });
    });
  }

  it('applies the limit to all folders together', async () => {
    const folders = [await folderOf({ 'a.txt': 'x\nx\n' }), await folderOf({ 'b.txt': 'x\nx\n' })];
    try {
      const fs = new NodeFileSystem(folders, { ripgrep: async () => undefined });
      const hits = [];
      for await (const hit of fs.search(query('x', { limit: 3 }), never)) hits.push(hit.folder);
      assert.deepEqual(hits, [0, 0, 1]);
      assert.deepEqual(await fs.find({ limit: 1 }, never), { files: [{ folder: 0, path: 'a.txt' }], truncated: true });
    } finally {
      await Promise.all(folders.map(remove));
    }
  });
});

describe('searching in this process', () => {
  it('finds every line in many files, by a text and by a regular expression alike', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `d${index % 7}/f${index}.txt`);
    const folder = await folderOf(Object.fromEntries([...names.map((name) => [name, `hay\nneedle ${name}\n`]), ['empty.txt', '']]));
    try {
      const fs = new NodeFileSystem([folder], { ripgrep: async () => undefined });
      for (const regex of [false, true]) {
        const hits = await Array.fromAsync(fs.search(query('needle', { regex }), never));
        assert.deepEqual(hits.map(({ path, line }) => `${path}:${line}`).sort(), names.map((name) => `${name}:2`).sort());
      }
    } finally {
      await remove(folder);
    }
  });

  it('is not blocked by a pattern', () => {
    assert.throws(() => matchingLines('a', `${'a'.repeat(60)}!`, matcherOf(query('(a+)+$', { regex: true }))), /takes too long/);
    assert.deepEqual(matchingLines('a', 'x\r\n\nab', matcherOf(query('B'))), [{ path: 'a', line: 3, text: 'ab' }]);
  });

  it('is not blocked by a glob', async () => {
    const { matches } = await includeOf('*a*a*a*a*a*aq', async () => false);
    assert.ok(!matches('a'.repeat(255)));
    assertCheap(() => matches('a'.repeat(255)), 100);
  });

  it('says what is wrong with a pattern', () => {
    assert.throws(() => matcherOf(query('(', { regex: true })), /^Error: The regular expression is not valid: /);
    assert.throws(() => matcherOf(query('a\nb')), /contains a line break/);
  });
});

describe('findRipgrep', () => {
  it('takes the first candidate that runs, then PATH, and no relative entry of it', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = await folderOf({ 'bin/rg': '#!/bin/sh\n', 'plain/rg': 'no program' });
    try {
      await mkdir(join(folder, 'dir', 'rg'), { recursive: true });
      await chmod(join(folder, 'bin', 'rg'), 0o755);
      const rg = join(folder, 'bin', 'rg');
      assert.equal(await findRipgrep([join(folder, 'plain', 'rg'), rg], ''), rg);
      assert.equal(await findRipgrep([], `${join(folder, 'plain')}:${join(folder, 'dir')}:${join(folder, 'bin')}`), rg);
      assert.equal(await findRipgrep([], ''), undefined);
      const script = `import(${JSON.stringify(join(import.meta.dirname, '../../../../src/hosts/node/search/ripgrep.ts'))}).then(async (m) => console.log(await m.findRipgrep([], 'bin::.')))`;
      assert.equal(execFileSync(process.execPath, ['-e', script], { cwd: join(folder, 'bin'), encoding: 'utf8' }).trim(), 'undefined');
    } finally {
      await remove(folder);
    }
  });
});
