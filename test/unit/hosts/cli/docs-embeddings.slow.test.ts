// Runs the program itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddingServer, startEmbeddingServer } from '../../../support/documents/embedding-server.ts';
import { learnedEmbedding } from '../../../support/documents/learned-embedding.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const GUIDE = '# Guide\n\n## Retries\n\nSet retryDelay to the milliseconds between two attempts.\n';
const HARBOR = '# Harbor\n\nA skipper moors a vessel at the quay, and a skipper moors a boat at the jetty.\n';

describe('kedge docs with an embedding model', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: EmbeddingServer;
  /** The server of the model of runs, which must receive nothing. */
  let other: EmbeddingServer;
  beforeEach(async () => {
    folder = await folderOf({ 'docs/guide.md': GUIDE, 'docs/harbor.md': HARBOR });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    server = await startEmbeddingServer(learnedEmbedding([GUIDE, HARBOR], 64));
    other = await startEmbeddingServer(learnedEmbedding([], 64));
  });
  afterEach(async () => {
    assert.equal(other.requests.length, 0);
    await Promise.all([remove(folder), remove(home), server.close(), other.close()]);
  });

  /** `answer` is typed when the program asks, if somebody is there. */
  async function kedge(args: readonly string[], { answer, model = 'openai-chat/test' }: { answer?: string; model?: string } = {}) {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE_|OPENAI)/.test(name)));
    const env = {
      ...{ ...clean, KEDGE_HOME: home, KEDGE_BASE_URL: other.url, KEDGE_API_KEY: 'key-of-runs' },
      ...(model && { KEDGE_EMBEDDING_MODEL: model, OPENAI_CHAT_BASE_URL: `${server.url}/v1`, OPENAI_CHAT_API_KEY: 'key-of-embeddings' }),
    };
    const preload = answer === undefined ? [] : ['--import', 'data:text/javascript,process.stdin.isTTY = true'];
    const child = spawn(process.execPath, [...preload, PROGRAM, ...args], { cwd: folder, env });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text.out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text.err += more;
      if (!/Compute them\? .*> $/.test(text.err)) return;
      assert.equal(server.requests.length, 0, 'the question comes before the first request');
      child.stdin.end(`${answer}\n`);
    });
    child.stdin.on('error', () => undefined);
    if (answer === undefined) child.stdin.end();
    const [code] = await once(child, 'close');
    return { code, ...text };
  }
  const sent = () => server.requests.flatMap(({ texts }) => texts);

  it('shows the cost, asks, and then finds other words', async () => {
    const declined = await kedge(['docs', 'add', 'handbook', 'docs'], { answer: 'n' });
    assert.equal(declined.code, 0, declined.err);
    assert.match(
      declined.err,
      /handbook: 2 indexed\.\n2 passages of handbook \(about \d+ tokens\) have no embedding yet\. Their text is sent to OpenAI-compatible \(test\); its price is unknown\. Compute them\? y = yes, n = no > /,
    );
    assert.match(declined.err, /2 passages can only be found by words\. To continue: kedge docs update handbook\n$/);
    assert.equal((await kedge(['docs', 'search', 'skippership'])).code, 1);
    assert.equal(server.requests.length, 0);
    const agreed = await kedge(['docs', 'update'], { answer: 'y' });
    assert.match(agreed.err, /handbook: 2 embeddings computed\.\n$/);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer key-of-embeddings');
    assert.match((await kedge(['docs', 'search', 'skippership'])).out, /^handbook: docs\/harbor\.md/);
    assert.match((await kedge(['docs', 'list'])).out, /2 of 2 passages with embeddings of openai-chat\/test\n$/);
    const requests = server.requests.length;
    await kedge(['docs', 'update', '--yes']);
    assert.equal(server.requests.length, requests);
  });

  it('computes nothing if nobody can be asked, or if it is told so, or if no model is configured', async () => {
    const added = await kedge(['docs', 'add', 'handbook', 'docs']);
    assert.equal(added.code, 0);
    assert.match(added.err, /No terminal is connected, so nobody could be asked\. Add --yes to compute them\./);
    assert.doesNotMatch((await kedge(['docs', 'update', '--no-embeddings'])).err, /embedding/);
    await kedge(['docs', 'update', '--yes'], { model: '' });
    assert.equal(server.requests.length, 0);
    const lines = (await kedge(['docs', 'update', '--yes', '--json'])).out.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ type }) => type),
      ['listed', 'updated', 'embedding_cost', 'embedding', 'embedding', 'embedded'],
    );
    assert.deepEqual(events.at(-1), { type: 'embedded', collection: 'handbook', embedded: 2, withheld: 0, todo: 0, passages: 2 });
  });

  it('keeps the index complete if the server refuses, and continues later', async () => {
    server.before = () => ({ status: 401, body: '{"error":{"message":"Incorrect API key"}}' });
    const failed = await kedge(['docs', 'add', 'handbook', 'docs', '--yes']);
    assert.equal(failed.code, 1);
    assert.match(
      failed.err,
      /refused the API key .* The search by words is complete; 2 passages still have no embedding\. To continue: kedge docs update handbook\n$/,
    );
    assert.match((await kedge(['docs', 'search', 'retryDelay'])).out, /^handbook: docs\/guide\.md/);
    server.before = () => undefined;
    assert.equal((await kedge(['docs', 'update', '--yes'])).code, 0);
    await server.close();
    const found = await kedge(['docs', 'search', 'retryDelay']);
    assert.match(found.out, /^handbook: docs\/guide\.md/);
    assert.match(found.err, /^kedge: The search used words only\. OpenAI-compatible .* could not be reached/);
  });

  it('reads the model and its address from the configuration file', async () => {
    await kedge(['config', 'set', 'embeddingModel', 'ollama/nomic-embed-text'], { model: '' });
    await kedge(['config', 'set', 'baseUrls.ollama', server.url], { model: '' });
    const added = await kedge(['docs', 'add', 'handbook', 'docs', '--yes'], { model: '' });
    assert.match(added.err, /Ollama \(nomic-embed-text\) on this computer computes them\./);
    assert.equal(server.requests[0]?.path, '/api/embed');
    assert.ok(sent().every((text) => text.startsWith('search_document: ')));
    assert.match(
      (await kedge(['config', 'set', 'embeddingModel', 'ollama'], { model: '' })).err,
      /embeddingModel must be a text, such as openai\/text-embedding-3-small/,
    );
    const wrong = await kedge(['docs', 'update'], { model: 'nowhere/x' });
    assert.deepEqual([wrong.code, wrong.err.startsWith('kedge: The embedding model is not valid.')], [2, true]);
    const without = await kedge(['docs', 'update'], { model: 'anthropic/x' });
    assert.match(without.err, /There is no key for Anthropic|Anthropic has no embedding models/);
  });
});
