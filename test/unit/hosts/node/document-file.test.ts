import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Source } from '../../../../src/documents/collections.ts';
import { fileOfDocument } from '../../../../src/hosts/node/documents/document-file.ts';
import { documentsInFiles } from '../../../../src/hosts/node/documents/file-source.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';

type FileSource = Exclude<Source, { kind: 'url' }>;

describe('the file of a document', () => {
  let directory: string;
  let workspace: NodeFileSystem;
  before(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), 'kedge-files-')));
    for (const file of [
      'work/docs/a.md',
      'work/secret.md',
      'beside/manuals/deep/b.md',
      'beside/one.md',
      'beside/node_modules/@tide/core/README.md',
    ]) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), '# Title\n');
    }
    await symlink(join(directory, 'work', 'secret.md'), join(directory, 'beside', 'manuals', 'link.md'));
    workspace = new NodeFileSystem([join(directory, 'work')]);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const at = (path: string) => join(directory, path);
  const SOURCES: Record<string, () => FileSource> = {
    'a folder of the workspace': () => ({ kind: 'folder', path: at('work/docs') }),
    'the workspace': () => ({ kind: 'folder', path: at('work') }),
    'a folder outside': () => ({ kind: 'folder', path: at('beside/manuals') }),
    'a glob outside': () => ({ kind: 'glob', path: at('beside'), glob: '**/b.md' }),
    'a package outside': () => ({ kind: 'folder', path: at('beside/node_modules/@tide/core') }),
    'a file outside': () => ({ kind: 'file', path: at('beside/one.md') }),
    'a file of the workspace': () => ({ kind: 'file', path: at('work/docs/a.md') }),
  };

  for (const [name, source] of Object.entries(SOURCES))
    it(`is found by the key that ${name} gives it`, async () => {
      const keys: string[] = [];
      for await (const { key } of documentsInFiles(source(), { workspace, rules: [] }, new AbortController().signal)) keys.push(key);
      assert.ok(keys.length > 0);
      const { path } = source();
      for (const key of keys) {
        const file = fileOfDocument(key, [source()], workspace);
        assert.ok(file?.startsWith(path) && file.endsWith(key.slice(key.lastIndexOf('/'))), `${key} is ${file}`);
      }
    });

  it('is not outside its sources, a link, or gone', () => {
    const source = SOURCES['a folder outside']?.() as Source;
    for (const key of ['docs/a.md', 'secret.md', 'manuals/../one.md', 'manuals/gone.md', 'manuals/link.md', '../one.md', '/etc/passwd'])
      assert.equal(fileOfDocument(key, [source], workspace), undefined, key);
    const page: Source = { kind: 'url', url: 'https://example.com/', depth: 0, pages: 1 };
    assert.equal(fileOfDocument('docs/a.md', [page], workspace), undefined);
  });
});
