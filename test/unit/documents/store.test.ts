import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentError } from '../../../src/documents/document.ts';
import { CollectionBusy, IndexWriter } from '../../../src/documents/index/database.ts';
import { UPDATE_LIMITS, type UpdateEvent } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { filesOf, indexed, portsOf, temporaryStore } from '../../support/collections.ts';

const texts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}.md`, `# Document ${index}\n\nTide.\n`]));

describe('the store of collections', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  let store: DocumentStore;
  beforeEach(async () => {
    setup = await temporaryStore();
    store = setup.store;
  });
  afterEach(() => setup.remove());
  const keys = async () => (await store.listDocuments('docs')).documents.map(({ key, state }) => `${key} ${state}`);

  it('reads only the documents that changed', async () => {
    const files = filesOf(texts(200));
    store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
    await store.update('docs', portsOf(files));
    files.set('d7.md', { text: '# Document 7\n\nSluice.\n', mtimeMs: 2 });
    // A file that was only touched is read, but not indexed.
    files.set('d8.md', { text: '# Document 8\n\nTide.\n', mtimeMs: 2 });
    files.delete('d9.md');
    const ports = portsOf(files);
    const report = await store.update('docs', ports);
    assert.deepEqual(ports.reads, ['d7.md', 'd8.md']);
    assert.deepEqual(report, { indexed: 1, unchanged: 198, failed: 0, removed: 1, read: 2, problems: [] });
    assert.deepEqual(
      (await store.search('sluice')).map(({ document }) => document),
      ['d7.md'],
    );
    await assert.rejects(store.content('docs', 'd9.md'), /has no document/);
    assert.equal((await store.update('docs', portsOf(files))).read, 0);
  });

  it('keeps the reason why a document could not be read, and tries again when it changes', async () => {
    const files = filesOf({ 'a.md': '# A\n', 'b.md': '# B\n', 'empty.md': '\n', 'large.md': `# Large\n\n${'tide '.repeat(400)}` });
    const ports = portsOf(files);
    const { read } = ports;
    ports.read = async (path, ...rest) => {
      if (path === 'b.md') throw new DocumentError('encrypted', 'The document is encrypted.');
      return read(path, ...rest);
    };
    store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
    await store.update('docs', ports, { limits: { ...UPDATE_LIMITS, bytes: 1_000 } });
    const { documents } = await store.listDocuments('docs', { state: 'failed' });
    assert.deepEqual(
      documents.map(({ key, problem, message }) => [key, problem, message]),
      [
        ['b.md', 'encrypted', 'The document is encrypted.'],
        ['empty.md', 'empty', 'The document has no text.'],
        ['large.md', 'too-large', 'The file is 0.0 MB, and the limit is 0.0 MB. Split it into smaller files.'],
      ],
    );
    assert.deepEqual(await store.listCollections().then(([each]) => [each?.documents, each?.failed, each?.todo]), [4, 3, 0]);
    files.set('b.md', { text: '# B\n', mtimeMs: 2 });
    await store.update('docs', portsOf(files));
    assert.deepEqual(await keys(), ['a.md ready', 'b.md ready', 'empty.md failed', 'large.md failed']);
  });

  it('keeps the documents of a source that cannot be listed', async () => {
    await indexed(store, texts(2));
    const report = await store.update('docs', {
      ...portsOf(new Map()),
      // biome-ignore lint/correctness/useYield: the source fails before its first document.
      async *list() {
        throw new Error('The folder does not exist.');
      },
    });
    assert.deepEqual([report.problems, report.removed], [['The folder does not exist.'], 0]);
    assert.equal((await keys()).length, 2);
  });

  it('limits the number of documents', async () => {
    store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
    const report = await store.update('docs', portsOf(filesOf(texts(5))), { limits: { ...UPDATE_LIMITS, documents: 3 } });
    assert.deepEqual([report.indexed, report.problems], [3, ['A collection can have 3 documents. The rest was left out.']]);
  });

  it('says after a stop which documents are still to do, and continues', async () => {
    const stopping = new AbortController();
    store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
    const ports = portsOf(filesOf(texts(5)));
    const events: UpdateEvent[] = [];
    const notify = (event: UpdateEvent) => {
      events.push(event);
      if (event.type === 'document' && event.done === 2) stopping.abort();
    };
    await assert.rejects(store.update('docs', ports, { signal: stopping.signal, notify }), { name: 'AbortError' });
    assert.deepEqual(await keys(), ['d0.md ready', 'd1.md ready', 'd2.md todo', 'd3.md todo', 'd4.md todo']);
    assert.deepEqual(events[0], { type: 'listed', documents: 5, todo: 5 });
    const again = portsOf(filesOf(texts(5)));
    await store.update('docs', again);
    assert.deepEqual(again.reads, ['d2.md', 'd3.md', 'd4.md']);
  });

  it('lets nobody else write meanwhile, and everybody read', async () => {
    await indexed(store, texts(3));
    const [definition] = await store.listCollections();
    const writer = new IndexWriter(join(setup.roots.workspace, definition?.name ?? ''));
    try {
      await assert.rejects(store.update('docs', portsOf(filesOf(texts(4)))), CollectionBusy);
      assert.throws(() => store.remove('docs'), CollectionBusy);
      writer.db.run("delete from documents where key = 'd0.md'");
      assert.equal((await store.listDocuments('docs')).total, 3, 'readers see what was published');
      writer.publish();
      assert.equal((await store.listDocuments('docs')).total, 2);
    } finally {
      writer.close();
    }
  });

  it('leaves nothing of its readers behind', async () => {
    await indexed(store, texts(3));
    await store.search('tide');
    store.close();
    assert.deepEqual(readdirSync(join(setup.roots.workspace, 'docs', 'readers')), []);
  });

  it('makes a damaged index again', async () => {
    await indexed(store, texts(3));
    store.close();
    writeFileSync(join(setup.roots.workspace, 'docs', 'index.db'), 'no database');
    assert.equal((await store.update('docs', portsOf(filesOf(texts(3))))).indexed, 3);
    assert.ok((await store.search('tide')).length > 0);
  });

  it('takes only safe names', async () => {
    for (const name of ['', '.', '..', '../x', 'a/b', 'a\\b', 'A', 'con', 'nul.md', 'a b', 'a.', '-a', 'a'.repeat(65), 'ä', 'a..b', '~'])
      assert.throws(() => store.define(name, 'workspace', []), /cannot be the name of a collection/, name);
    for (const name of ['a', 'node.js-docs_2', 'a'.repeat(64)]) store.define(name, 'workspace', []);
    assert.equal((await store.listCollections()).length, 3);
  });

  it('has collections of the workspace and global ones', async () => {
    await indexed(store, texts(1));
    store.define('all', 'global', [{ kind: 'url', url: 'https://example.com/', depth: 0, pages: 1 }]);
    assert.throws(() => store.define('docs', 'global', []), /belongs to this workspace: leave out --global/);
    const other = new DocumentStore({ ...setup.roots, workspace: join(setup.directory, 'other') });
    assert.deepEqual(
      (await other.listCollections()).map(({ name, scope, isFromNetwork }) => [name, scope, isFromNetwork]),
      [['all', 'global', true]],
    );
  });

  it('removes a collection with everything that is stored', async () => {
    await indexed(store, texts(1));
    store.remove('docs');
    assert.equal(existsSync(join(setup.roots.workspace, 'docs')), false);
    assert.throws(() => store.remove('docs'), /There is no collection "docs"\. There are no collections yet\./);
  });
});
