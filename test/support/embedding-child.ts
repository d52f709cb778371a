/** A process that computes the embeddings of the collection `docs`. It reports its progress, and is usually killed. */
import { createEmbedder } from '../../src/app/models/embedder.ts';
import { DocumentStore } from '../../src/documents/store/store.ts';

const [root = '', baseUrl = '', batch = ''] = process.argv.slice(2);

const store = new DocumentStore({ workspace: root, global: `${root}-global` });
const created = createEmbedder({ provider: 'openai-chat', model: 'test' }, { baseUrl });
const embedder = { ...created, batch: { texts: Number(batch), tokens: 100_000 } };
const report = await store.embed('docs', embedder, {
  signal: new AbortController().signal,
  notify: (event) => process.send?.(event),
  confirm: async () => true,
});
process.send?.({ finished: true, ...report });
process.disconnect?.();
