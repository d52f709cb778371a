import assert from 'node:assert/strict';
import { createEmbedder } from '../../../src/app/models/embedder.ts';
import type { Embedder } from '../../../src/documents/embeddings/embedder.ts';
import type { EmbeddingCost, EmbeddingReport } from '../../../src/documents/embeddings/update.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { filesOf, indexed, portsOf, temporaryStore } from '../../support/collections.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../support/documents/embedding-server.ts';
import { learnedEmbedding } from '../../support/documents/learned-embedding.ts';

const TEXTS: Readonly<Record<string, string>> = {
  'boats.md': '# Boats\n\nA skipper moors a vessel at the quay, and a skipper moors a boat at the jetty.\n',
  'tides.md': '# Tides\n\nThe water rises twice a day. The gauge shows the level.\n',
  'locks.md': '# Locks\n\nThe sluice opens at seven. A vessel waits at the quay until the sluice opens.\n',
  'fees.md': '# Fees\n\nThe harbor charges a fee for each night.\n',
};

describe('embeddings of a collection', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  let server: EmbeddingServer;
  let store: DocumentStore;
  let embedder: Embedder;

  beforeEach(async () => {
    setup = await temporaryStore();
    server = await startEmbeddingServer(learnedEmbedding(Object.values(TEXTS), 96));
    embedder = embedderOf('first');
    store = new DocumentStore(setup.roots, async () => embedder);
    await indexed(store, TEXTS);
  });
  afterEach(async () => {
    await store.close();
    await Promise.all([setup.remove(), server.close()]);
  });

  /** Waits between attempts are skipped. */
  function embedderOf(model: string, batch = 3): Embedder {
    const retry = { tries: 3, sleep: async () => undefined };
    const created = createEmbedder({ provider: 'openai-chat', model }, { baseUrl: `${server.url}/v1` }, { retry, usdPerMillion: 2 });
    return { ...created, batch: { texts: batch, tokens: 10_000 } };
  }
  const embed = (confirm: (cost: EmbeddingCost) => boolean = () => true, by = embedder): Promise<EmbeddingReport> =>
    store.embed('docs', by, { signal: new AbortController().signal, confirm: async (cost) => confirm(cost) });
  const sent = () => server.requests.flatMap(({ texts }) => texts);
  const update = (texts: Readonly<Record<string, string>>, mtimeMs = 2) =>
    store.update('docs', portsOf(new Map([...filesOf(texts)].map(([key, file]) => [key, { ...file, mtimeMs }]))));
  const found = async (query: string, onNote?: (note: string) => void) =>
    (await store.search(query, onNote ? { onNote } : {})).map(({ document }) => document);

  it('are computed after the user has agreed to their cost, and not again', async () => {
    const costs: EmbeddingCost[] = [];
    const report = await embed((cost) => {
      assert.equal(server.requests.length, 0);
      costs.push(cost);
      return true;
    });
    assert.deepEqual(report, { embedded: 4, withheld: 0, todo: 0, passages: 4 });
    const [cost] = costs;
    assert.equal(cost?.passages, 4);
    assert.ok(cost.tokens > 40 && cost.usd === (cost.tokens * 2) / 1_000_000);
    assert.deepEqual(
      server.requests.map(({ texts }) => texts.length),
      [3, 1],
    );
    assert.ok(sent()[0]?.startsWith('Boats\n\n# Boats\n\nA skipper'));
    const again = await embed(() => assert.fail('nothing is left to embed'));
    assert.equal(again.embedded, 0);
    assert.equal(server.requests.length, 2);
  });

  it('are not computed if the user declines', async () => {
    assert.deepEqual(await embed(() => false), { embedded: 0, withheld: 0, todo: 4, passages: 0, declined: true });
    assert.deepEqual(await found('sluice'), ['locks.md']);
    assert.equal(server.requests.length, 0);
  });

  it('find passages that share no word with the query', async () => {
    assert.deepEqual(await found('ship berth skipper'), ['boats.md']);
    await embed();
    assert.equal((await found('ship berth skipper'))[0], 'boats.md');
    assert.ok((await found('jetty')).includes('locks.md'));
    assert.equal(server.requests.at(-1)?.texts[0], 'jetty');
    const requests = server.requests.length;
    await found('jetty');
    assert.equal(server.requests.length, requests, 'the embedding of a query is kept');
  });

  it('are computed only for passages whose text has changed, and the same text is sent once', async () => {
    await embed();
    const changed = { ...TEXTS, 'tides.md': `${TEXTS['tides.md']}It falls, too.\n`, 'copy.md': TEXTS['fees.md'] as string };
    await update(changed);
    let asked = 0;
    const report = await embed(({ passages }) => {
      asked = passages;
      return true;
    });
    assert.deepEqual([asked, report.embedded, report.passages], [1, 1, 5]);
    assert.match(sent().at(-1) ?? '', /It falls/);
    assert.equal(new Set(sent()).size, sent().length);
    // Removed documents are not found, and a text that comes back is not sent again.
    await update({ 'fees.md': TEXTS['fees.md'] as string }, 3);
    assert.equal((await embed(() => assert.fail())).passages, 1);
    assert.deepEqual(await found('the fee of a vessel at the sluice'), ['fees.md']);
    await update(TEXTS, 4);
    assert.equal((await embed(() => assert.fail())).passages, 4);
  });

  it('are left incomplete by a server that fails, and completed later', async () => {
    server.before = (number) => (number === 1 ? { status: 401, body: '{"error":{"message":"Incorrect API key"}}' } : undefined);
    const report = await embed();
    assert.deepEqual([report.embedded, report.todo], [3, 1]);
    assert.match(report.problem ?? '', /^OpenAI-compatible .* refused the API key/);
    assert.equal((await found('gauge'))[0], 'tides.md');
    const next = await embed(({ passages }) => passages === 1);
    assert.deepEqual([next.embedded, next.todo, next.problem], [1, 0, undefined]);
    assert.equal(sent().filter((text) => text.startsWith('Boats')).length, 1);
  });

  it('are requested again when the server has no time, and can be stopped', async () => {
    server.before = (number) => (number < 2 ? { status: 429, headers: { 'retry-after': '1' }, body: '{}' } : undefined);
    const messages: string[] = [];
    const stop = new AbortController();
    const notify = (event: { type: string; message?: string; done?: number }) => {
      if (event.message) messages.push(event.message);
      if (event.done === 3) stop.abort();
    };
    await assert.rejects(store.embed('docs', embedder, { signal: stop.signal, notify, confirm: async () => true }), { name: 'AbortError' });
    assert.deepEqual(messages, new Array(2).fill('OpenAI-compatible receives too many requests. The next attempt is in 1 second.'));
    assert.equal((await embed(({ passages }) => passages === 1)).todo, 0);
  });

  it('of texts with keys are not requested', async () => {
    await update({ ...TEXTS, 'keys.md': '# Keys\n\nUse AKIAABCDEFGHIJKLMNOP to sign in at the quay.\n' });
    const report = await embed(({ withheld, passages }) => withheld === 1 && passages === 4);
    assert.deepEqual([report.embedded, report.withheld], [4, 1]);
    assert.ok(!sent().some((text) => text.includes('AKIA')));
    await found('what is AKIAABCDEFGHIJKLMNOP');
    assert.ok(!sent().some((text) => text.includes('AKIA')));
    assert.equal((await found('AKIAABCDEFGHIJKLMNOP'))[0], 'keys.md');
  });

  it('of another model are replaced, which is said before', async () => {
    await embed();
    embedder = embedderOf('second');
    const notes: string[] = [];
    const requests = server.requests.length;
    assert.deepEqual(await found('sluice', (note) => notes.push(note)), ['locks.md']);
    assert.match(notes.join(), /are of openai-chat\/first, so it was searched by words only/);
    assert.equal(server.requests.length, requests);
    let before: string | undefined;
    await embed((cost) => {
      before = cost.before;
      return cost.passages === 4;
    });
    assert.equal(before, 'openai-chat/first');
    assert.ok((await found('jetty')).includes('locks.md'));
  });

  it('leave the search by words as it is when the server is away', async () => {
    const byWords = await new DocumentStore(setup.roots).search('the sluice at the quay');
    await embed();
    await server.close();
    const notes: string[] = [];
    const passages = await store.search('the sluice at the quay', { onNote: (note) => notes.push(note) });
    assert.deepEqual(passages, byWords);
    assert.match(notes.join(), /^The search used words only\. OpenAI-compatible .* could not be reached/);
  });

  it('respect filters', async () => {
    await embed();
    const passages = await store.search('jetty', { filter: { path: 'l*' } });
    assert.deepEqual(
      passages.map(({ document }) => document),
      ['locks.md'],
    );
  });
});
