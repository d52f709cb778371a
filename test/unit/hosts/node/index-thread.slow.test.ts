/** The work on indexes in a thread of its own: the same results and errors as on the thread of the test. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CollectionBusy } from '../../../../src/documents/collections.ts';
import { DocumentError } from '../../../../src/documents/document.ts';
import { IndexWriter } from '../../../../src/documents/index/database.ts';
import { SourceDenied, SourceError, type UpdateEvent } from '../../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../../src/documents/store/store.ts';
import { documentsInFiles } from '../../../../src/hosts/node/documents/file-source.ts';
import { IndexThread } from '../../../../src/hosts/node/documents/thread/index-thread.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { filesOf, portsOf } from '../../../support/collections.ts';

describe('the thread of the indexes', () => {
  let directory: string;
  let store: DocumentStore;
  const roots = () => ({ workspace: join(directory, 'workspace'), global: join(directory, 'global') });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-thread-'));
    store = new DocumentStore(roots(), undefined, new IndexThread());
    store.define('docs', 'workspace', [{ kind: 'folder', path: join(directory, 'source') }]);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}.md`, `# Tide ${index}\n`]));
  /** The documents without the reader of the test, because the thread has one. */
  const listOf = (count: number) => ({ list: portsOf(filesOf(texts(count))).list });

  it('indexes files and finds passages in them', async () => {
    const source = join(directory, 'source');
    await mkdir(source);
    for (const [name, text] of Object.entries({ 'a.md': '# Tide\n\nThe sluice opens.\n', 'b.html': '<h1>Reef</h1>', 'c.pdf': 'no PDF' }))
      await writeFile(join(source, name), text);
    const access = { workspace: new NodeFileSystem([directory]), rules: [] };
    const events: UpdateEvent[] = [];
    const report = await store.update(
      'docs',
      { list: (each, signal) => documentsInFiles(each as never, access, signal) },
      { notify: (event) => events.push(event) },
    );
    assert.deepEqual([report.indexed, report.failed, report.problems], [2, 1, []]);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['listed', 'document', 'document', 'document'],
    );
    const [passage] = await store.search('sluice');
    assert.deepEqual([passage?.document, passage?.place], ['source/a.md', { line: 1, endLine: 3 }]);
    const [failed] = (await store.listDocuments('docs', { state: 'failed' })).documents;
    assert.equal(failed?.problem, 'damaged');
  });

  it('lists the documents again if the index is damaged', async () => {
    await store.update('docs', listOf(100));
    await store.close();
    const file = join(roots().workspace, 'docs', 'index.db');
    await writeFile(file, (await readFile(file)).fill(0xff, 8_192));
    assert.equal((await store.update('docs', listOf(100))).indexed, 100);
    assert.ok((await store.search('tide')).length > 0);
  });

  it('lists many documents, and then says why the rest is missing', async () => {
    const report = await store.update('docs', {
      async *list(source, signal) {
        yield* portsOf(filesOf(texts(450))).list(source, signal);
        throw new SourceError('The rest is away.');
      },
    });
    assert.deepEqual([report.indexed, report.problems], [450, ['The rest is away.']]);
    const away = await store.update('docs', { ...listOf(0), away: async (_, keys) => keys.slice(1) });
    assert.deepEqual([away.removed, away.problems.length], [1, 1]);
    // Otherwise the documents of the source would be removed.
    const denied = await store.update('docs', {
      // biome-ignore lint/correctness/useYield: nothing of the source may be read.
      async *list() {
        throw new SourceDenied('A rule denies it.');
      },
    });
    assert.deepEqual([denied.removed, denied.problems], [449, ['A rule denies it.']]);
  });

  it('passes on why a document could not be read', async () => {
    await store.update('docs', {
      async *list(source, signal) {
        for await (const document of listOf(2).list(source, signal))
          yield {
            ...document,
            bytes: async () => {
              throw document.key === 'd0.md' ? new DocumentError('too-large', 'It is too large.') : new Error('It is away.');
            },
          };
      },
    });
    const { documents } = await store.listDocuments('docs');
    assert.deepEqual(
      documents.map(({ problem, message }) => [problem, message]),
      [
        ['too-large', 'It is too large.'],
        ['unreadable', 'It is away.'],
      ],
    );
  });

  it('stops when the signal aborts, and continues', async () => {
    const stopping = new AbortController();
    const notify = (event: UpdateEvent) => event.type === 'document' && stopping.abort();
    await assert.rejects(store.update('docs', listOf(3_000), { signal: stopping.signal, notify }), { name: 'AbortError' });
    const [stopped] = await store.listCollections();
    assert.ok(stopped && stopped.todo > 0 && stopped.todo < 3_000, `${stopped?.todo} documents are to do.`);
    await store.update('docs', listOf(3_000));
    assert.deepEqual(
      (await store.listCollections()).map(({ documents, todo }) => [documents, todo]),
      [[3_000, 0]],
    );
  });

  it('searches while it indexes', async () => {
    await store.update('docs', listOf(1));
    let searches = 0;
    let isUpdating = true;
    const updated = store.update('docs', listOf(200)).finally(() => (isUpdating = false));
    while (isUpdating) {
      assert.ok((await store.search('tide')).length > 0);
      searches++;
    }
    await updated;
    assert.ok(searches > 1);
  });

  it('leaves a collection alone that is being written', async () => {
    await store.update('docs', listOf(2));
    let isListing = () => {};
    const listing = new Promise<void>((resolve) => (isListing = resolve));
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    const updated = store.update('docs', {
      async *list(source, signal) {
        isListing();
        await waiting;
        yield* listOf(3).list(source, signal);
      },
    });
    await listing;
    await assert.rejects(store.update('docs', listOf(1)), CollectionBusy);
    await assert.rejects(store.remove('docs'), CollectionBusy);
    goOn();
    assert.equal((await updated).indexed, 1);
    await store.remove('docs');
    assert.deepEqual(await store.listCollections(), []);
  });

  it('completes what a killed process began to publish', async () => {
    await store.update('docs', listOf(2));
    const index = join(roots().workspace, 'docs');
    new IndexWriter(index).close();
    await writeFile(join(index, 'generation'), 'publishing 9');
    assert.equal((await store.listDocuments('docs')).total, 2);
    assert.equal((await store.search('tide')).length, 2);
  });

  it('leaves nothing of its readers behind, and starts again', async () => {
    await store.update('docs', listOf(2));
    await store.search('tide');
    await store.close();
    assert.deepEqual(await readdir(join(roots().workspace, 'docs', 'readers')), []);
    assert.equal((await store.search('tide')).length, 2);
  });
});
