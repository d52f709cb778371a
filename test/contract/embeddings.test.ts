/** The requests for embeddings on each wire, and answers that are wrong. */
import assert from 'node:assert/strict';
import { createEmbedder } from '../../src/app/models/embedder.ts';
import { ModelError } from '../../src/core/model/model.ts';
import type { Embedder } from '../../src/documents/embeddings/embedder.ts';
import { startWireServer, type WireAnswer, type WireServer } from '../support/wire-server.ts';

const KEY = 'secret-key-0123456789';
const never = new AbortController().signal;
const retry = { tries: 2, sleep: async () => undefined };

/** The wire, its model, the base URL, and the answer with two vectors. */
const WIRES = [
  {
    ...{ provider: 'openai', model: 'text-embedding-3-small', path: '/v1', request: '/v1/embeddings', header: 'authorization' },
    // The entries have their position in the request.
    answer: {
      data: [
        { index: 1, embedding: [0, 1, 0] },
        { index: 0, embedding: [1, 0, 0] },
      ],
    },
    body: { model: 'text-embedding-3-small', input: ['first', 'second'], encoding_format: 'float', dimensions: 768 },
    query: { model: 'text-embedding-3-small', input: ['first', 'second'], encoding_format: 'float', dimensions: 768 },
  },
  {
    ...{
      provider: 'openai-chat',
      model: 'bge-m3',
      path: '/v1?api-version=1',
      request: '/v1/embeddings?api-version=1',
      header: 'authorization',
    },
    answer: { data: [{ embedding: [1, 0, 0] }, { embedding: [0, 1, 0] }] },
    body: { model: 'bge-m3', input: ['first', 'second'], encoding_format: 'float' },
    query: { model: 'bge-m3', input: ['first', 'second'], encoding_format: 'float' },
  },
  {
    ...{ provider: 'gemini', model: 'gemini-embedding-001', path: '/v1beta', header: 'x-goog-api-key' },
    request: '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    answer: { embeddings: [{ values: [1, 0, 0] }, { values: [0, 1, 0] }] },
    body: { requests: ['first', 'second'].map((text) => geminiRequest(text, 'RETRIEVAL_DOCUMENT')) },
    query: { requests: ['first', 'second'].map((text) => geminiRequest(text, 'RETRIEVAL_QUERY')) },
  },
  {
    ...{ provider: 'ollama', model: 'nomic-embed-text', path: '', request: '/api/embed', header: 'authorization' },
    answer: {
      model: 'nomic-embed-text',
      embeddings: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      prompt_eval_count: 4,
    },
    body: { model: 'nomic-embed-text', input: ['search_document: first', 'search_document: second'], truncate: true },
    query: { model: 'nomic-embed-text', input: ['search_query: first', 'search_query: second'], truncate: true },
  },
] as const;

function geminiRequest(text: string, taskType: string) {
  return { model: 'models/gemini-embedding-001', content: { parts: [{ text }] }, taskType, outputDimensionality: 768 };
}

describe('embeddings', () => {
  let server: WireServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function embedderFor(wire: (typeof WIRES)[number], answers: readonly (WireAnswer | 'silence')[]): Promise<Embedder> {
    server = await startWireServer(answers, 'application/json');
    const { provider, model, path } = wire;
    return createEmbedder({ provider, model }, { apiKey: KEY, baseUrl: server.url + path }, { retry });
  }
  const json = (body: unknown, status = 200): WireAnswer => ({ status, body: JSON.stringify(body) });

  for (const wire of WIRES) {
    describe(`of ${wire.provider}`, () => {
      it('are requested together, with the key in its header', async () => {
        const embedder = await embedderFor(wire, [json(wire.answer)]);
        for (const kind of ['passage', 'query'] as const) {
          const vectors = await embedder.embed(['first', 'second'], kind, never);
          assert.deepEqual(vectors, [Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0)]);
        }
        const [passage, query] = server?.requests ?? [];
        assert.deepEqual(
          server?.requests.map(({ path }) => path),
          [wire.request, wire.request],
        );
        assert.deepEqual(JSON.parse(String(passage?.raw)), wire.body);
        assert.deepEqual(JSON.parse(String(query?.raw)), wire.query);
        assert.match(String(passage?.headers[wire.header]), new RegExp(`${KEY}$`));
      });

      it('are requested again after a temporary failure of passages, and not of queries', async () => {
        const busy = { ...json({ error: { message: 'slow down' } }, 429), headers: { 'retry-after': '0' } };
        const embedder = await embedderFor(wire, [busy, json(wire.answer), busy]);
        assert.equal((await embedder.embed(['first', 'second'], 'passage', never)).length, 2);
        await assert.rejects(embedder.embed(['first', 'second'], 'query', never), { kind: 'rate_limit' });
        assert.equal(server?.requests.length, 3);
      });

      it('that are wrong are a failure with a sentence for the user, which never contains the key', async () => {
        const [vector] = 'data' in wire.answer ? [wire.answer.data[0]] : [wire.answer.embeddings[0]];
        const listed = (list: unknown) => ('data' in wire.answer ? { data: list } : { embeddings: list });
        const wrong: [WireAnswer, ModelError['kind']][] = [
          [{ body: 'no JSON' }, 'bad_stream'],
          [json(null), 'bad_stream'],
          [json([]), 'bad_stream'],
          [json({}), 'bad_stream'],
          [json(listed('')), 'bad_stream'],
          [json(listed([vector])), 'bad_stream'],
          [json(listed([vector, vector, vector])), 'bad_stream'],
          [json(listed([null, null])), 'bad_stream'],
          [json(JSON.parse(JSON.stringify(wire.answer).replace('[1,0,0]', '[1,null,"x"]'))), 'bad_stream'],
          [json(JSON.parse(JSON.stringify(wire.answer).replace('[1,0,0]', '[1,0]'))), 'bad_stream'],
          [json(JSON.parse(JSON.stringify(wire.answer).replace('[1,0,0]', `[${new Array(10_000).fill(1)}]`))), 'bad_stream'],
          [{ body: '<html>', headers: { 'content-type': 'text/html' } }, 'invalid_request'],
          [json({ error: { message: `Incorrect API key: ${KEY}` } }, 401), 'auth'],
          [json({ error: 'model "x" not found, try pulling it first' }, 404), 'unknown_model'],
        ];
        for (const [answer, kind] of wrong) {
          const embedder = await embedderFor(wire, [answer]);
          await assert.rejects(embedder.embed(['first', 'second'], 'query', never), (error: ModelError) => {
            assert.ok(error instanceof ModelError, String(error));
            assert.equal(error.kind, kind, `${String(answer.body).slice(0, 80)}: ${error.message}`);
            assert.ok(!error.message.includes(KEY));
            return true;
          });
          await server?.close();
        }
      });

      it('can be stopped', async () => {
        const embedder = await embedderFor(wire, ['silence']);
        const stop = new AbortController();
        const embedding = embedder.embed(['first', 'second'], 'passage', stop.signal);
        stop.abort();
        await assert.rejects(embedding, { name: 'AbortError' });
      });
    });
  }

  it('of a text that is too long are those of its beginning', async () => {
    const [wire] = WIRES;
    const long = json({ error: { message: 'This model’s maximum context length is 8192 tokens, however you requested 9000 tokens' } }, 400);
    const embedder = await embedderFor(wire, [long, long, json({ data: [{ embedding: [1] }] })]);
    assert.equal((await embedder.embed(['x'.repeat(8_000)], 'passage', never)).length, 1);
    assert.deepEqual(
      server?.requests.map(({ raw }) => JSON.parse(String(raw)).input[0].length),
      [8_000, 4_000, 2_000],
    );
  });

  it('need a provider that has embedding models, a key and an address', () => {
    assert.throws(() => createEmbedder({ provider: 'anthropic', model: 'x' }, { apiKey: KEY }), /Anthropic has no embedding models/);
    assert.throws(() => createEmbedder({ provider: 'openai', model: 'x' }, {}), /There is no key for OpenAI/);
    assert.throws(() => createEmbedder({ provider: 'openai-chat', model: 'x' }, {}), /There is no address for OpenAI-compatible/);
    assert.equal(createEmbedder({ provider: 'ollama', model: 'x' }, {}).usdPerMillion, 0);
    assert.equal(createEmbedder({ provider: 'openai', model: 'text-embedding-3-small' }, { apiKey: KEY }).usdPerMillion, 0.02);
  });
});
