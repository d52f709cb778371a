/** Embeddings are computed in real processes that are killed. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createEmbedder } from '../../../src/app/models/embedder.ts';
import type { EmbeddingReport } from '../../../src/documents/embeddings/update.ts';
import { indexed, temporaryStore } from '../../support/collections.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../support/documents/embedding-server.ts';
import { learnedEmbedding } from '../../support/documents/learned-embedding.ts';
import { KEY, versionOf } from '../../support/index-child.ts';

const CHILD = join(import.meta.dirname, '../../support/embedding-child.ts');
const ROUNDS = Number(process.env.KEDGE_KILL_ROUNDS ?? 6);
const DOCUMENTS = 60;
const BATCH = 3;

describe('embeddings whose process is killed', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  let server: EmbeddingServer;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    setup = await temporaryStore();
    server = await startEmbeddingServer(learnedEmbedding([], 64));
    await indexed(setup.store, Object.fromEntries(Array.from({ length: DOCUMENTS }, (_, index) => [KEY(index), versionOf(index, 1)])));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await Promise.all([setup.remove(), server.close()]);
  });

  const start = (): ChildProcess => {
    child = fork(CHILD, [setup.roots.workspace, `${server.url}/v1`, String(BATCH)]);
    return child;
  };

  it(`at ${ROUNDS} random moments are continued, and no passage is sent twice except those of the request under way`, async function () {
    this.timeout(600_000);
    const [summary] = await setup.store.listCollections();
    const sent = new Set<string>();
    /** The texts of the last request before a kill, whose answer may not have been stored. */
    let underWay: ReadonlySet<string> = new Set();
    let [read, killed] = [0, 0];
    const check = () => {
      for (const { texts } of server.requests.slice(read))
        for (const text of texts) {
          assert.ok(!sent.has(text) || underWay.has(text), `sent twice: ${text.slice(0, 80)}`);
          sent.add(text);
        }
      underWay = new Set(server.requests.at(-1)?.texts);
      read = server.requests.length;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const process = start();
      const exited = once(process, 'exit');
      const last = 1 + Math.floor(Math.random() * 8);
      await new Promise<void>((resolve) => {
        let messages = 0;
        process.on('message', () => ++messages === last && resolve());
        void exited.then(() => resolve());
      });
      await delay(Math.random() * 6);
      if (process.kill('SIGKILL')) killed++;
      await exited;
      await server.connectionsClosed();
      check();
    }
    assert.ok(killed > 0);
    const report = await new Promise<EmbeddingReport>((resolve) => {
      start().on('message', (message: EmbeddingReport & { finished?: true }) => message.finished && resolve(message));
    });
    check();
    assert.deepEqual([report.todo, report.problem, report.passages], [0, undefined, summary?.chunks]);
    const embedder = createEmbedder({ provider: 'openai-chat', model: 'test' }, { baseUrl: `${server.url}/v1` });
    const again = await setup.store.embed('docs', embedder, {
      signal: new AbortController().signal,
      confirm: () => assert.fail('complete'),
    });
    assert.equal(again.embedded, 0);
  });
});
