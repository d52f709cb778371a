import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CollectionBusy } from '../../../src/documents/collections.ts';
import { DocumentError } from '../../../src/documents/document.ts';
import { IndexWriter } from '../../../src/documents/index/database.ts';
import { SourceDenied, UPDATE_LIMITS, type UpdateEvent } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { filesOf, indexed, portsOf, temporaryStore } from '../../support/collections.ts';

const DAMAGED =
  'The index of the collection docs cannot be read: database disk image is malformed. To make it again: kedge docs update docs';

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

  it('keeps the documents that are not listed because their folder is away', async () => {
    const files = filesOf(texts(4));
    await indexed(store, texts(4));
    for (const key of ['d1.md', 'd2.md', 'd3.md']) files.delete(key);
    const asked: string[][] = [];
    const report = await store.update('docs', {
      ...portsOf(files),
      async away(_, given, scope) {
        asked.push([String(scope), ...given]);
        return ['d2.md', 'd3.md'];
      },
    });
    assert.deepEqual(asked, [['workspace', 'd1.md', 'd2.md', 'd3.md']]);
    assert.equal(report.removed, 1);
    assert.match(
      report.problems.join(),
      /^2 of the documents were left as they were, such as "d2.md", because their folder cannot be read/,
    );
    assert.deepEqual(await keys(), ['d0.md ready', 'd2.md ready', 'd3.md ready']);
  });

  it('removes the documents of a source that may not be read any more', async () => {
    await indexed(store, texts(2));
    const report = await store.update('docs', {
      ...portsOf(new Map()),
      // biome-ignore lint/correctness/useYield: nothing of the source may be read.
      async *list() {
        throw new SourceDenied('A rule denies it.');
      },
    });
    assert.deepEqual([report.problems, report.removed], [['A rule denies it.'], 2]);
    assert.deepEqual(await store.search('tide'), []);
  });

  it('reads a document again that could not be opened, or took too long, although it has not changed', async () => {
    for (const error of [new Error('EACCES: permission denied'), new DocumentError('too-slow', 'It took too long.')]) {
      const ports = portsOf(filesOf(texts(2)));
      const { read } = ports;
      ports.read = async (path, ...rest) => {
        if (path === 'd1.md') throw error;
        return read(path, ...rest);
      };
      store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
      assert.equal((await store.update('docs', ports)).failed, 1);
      const again = portsOf(filesOf(texts(2)));
      await store.update('docs', again);
      assert.deepEqual(again.reads, ['d1.md']);
      assert.deepEqual(await keys(), ['d0.md ready', 'd1.md ready']);
      await store.remove('docs');
    }
  });

  it('leaves out names that could look like another place, and says so', async () => {
    store.define('docs', 'workspace', [{ kind: 'folder', path: '/docs' }]);
    const report = await store.update('docs', portsOf(filesOf({ 'a.md': '# A\n', 'x\n[docs/a.md:1-9]\tA\n.md': '# Forged\n' })));
    assert.deepEqual(await keys(), ['a.md ready']);
    assert.match(report.problems.join(), /^1 of the documents were left out, such as "x\\n\[docs/);
  });

  it('says which documents of two sources have the same name', async () => {
    store.define('docs', 'workspace', [
      { kind: 'folder', path: '/one/docs' },
      { kind: 'folder', path: '/two/docs' },
      { kind: 'file', path: '/one/docs/a.md' },
    ]);
    const ports = portsOf(filesOf({ 'docs/a.md': '# A\n' }));
    const report = await store.update('docs', {
      ...ports,
      async *list(source, signal) {
        const folder = source.kind !== 'url' && source.path.startsWith('/two') ? '/two' : '/one';
        for await (const document of ports.list(source, signal)) yield { ...document, file: `${folder}/${document.key}` };
      },
    });
    assert.deepEqual(report.problems, [
      '1 of the documents were left out, such as "docs/a.md", because documents of another source have the same names. Add them to a collection of their own.',
    ]);
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
      await assert.rejects(store.remove('docs'), CollectionBusy);
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
    await store.close();
    assert.deepEqual(readdirSync(join(setup.roots.workspace, 'docs', 'readers')), []);
  });

  it('makes a damaged index again', async () => {
    await indexed(store, texts(3));
    await store.close();
    writeFileSync(join(setup.roots.workspace, 'docs', 'index.db'), 'no database');
    assert.equal((await store.update('docs', portsOf(filesOf(texts(3))))).indexed, 3);
    assert.ok((await store.search('tide')).length > 0);
  });

  it('says which index is damaged, lets the others be used, and makes a partly damaged one again', async () => {
    await indexed(store, texts(100));
    await indexed(store, texts(2), 'others');
    await store.close();
    const file = join(setup.roots.workspace, 'docs', 'index.db');
    writeFileSync(file, readFileSync(file).fill(0xff, 8_192));
    const problems = (await store.listCollections()).map(({ name, problem }) => [name, problem]);
    assert.deepEqual(problems, [
      ['docs', DAMAGED],
      ['others', undefined],
    ]);
    await assert.rejects(store.search('tide'), { name: 'CollectionError', message: DAMAGED });
    assert.equal((await store.search('tide', { collections: ['others'], limit: 1 })).length, 1);
    assert.equal((await store.update('docs', portsOf(filesOf(texts(100))))).indexed, 100);
    assert.ok((await store.search('tide')).length > 0);
  });

  it('changes nothing if the definition of a collection is damaged', async () => {
    await indexed(store, texts(3));
    const file = join(setup.roots.workspace, 'docs', 'collection.json');
    for (const text of ['{"version": 1, "sour', '{"version": 1, "sources": [{"kind": "later"}]}']) {
      writeFileSync(file, text);
      await assert.rejects(store.update('docs', portsOf(new Map())), /definition of the collection docs is damaged/);
      assert.throws(() => store.define('docs', 'workspace', [{ kind: 'folder', path: '/other' }]), /is damaged/);
      assert.match((await store.listCollections())[0]?.problem ?? '', /is damaged/);
      assert.equal((await store.listDocuments('docs')).total, 3);
    }
    await store.remove('docs');
    assert.deepEqual(await store.listCollections(), []);
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
    await store.remove('docs');
    assert.equal(existsSync(join(setup.roots.workspace, 'docs')), false);
    await assert.rejects(store.remove('docs'), /There is no collection "docs"\. There are no collections yet\./);
  });
});
