/** A collection with the embeddings of a small model that is learned from its documents and served on this computer. */
import { createEmbedder } from '../../../src/app/models/embedder.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { startEmbeddingServer } from '../../support/documents/embedding-server.ts';
import { learnedEmbedding } from '../../support/documents/learned-embedding.ts';
import type { CorpusFile } from './corpus.ts';
import type { Sections } from './sections.ts';

/** Opens the collection `corpus`, which exists, and computes its embeddings. */
export async function hybridStore(
  roots: { workspace: string; global: string },
  corpus: readonly CorpusFile[],
  sections: Sections,
): Promise<{ store: DocumentStore; close(): Promise<void> }> {
  const texts: string[] = [];
  for (const { key } of corpus) texts.push((await sections.all(key).catch(() => ({ text: '' }))).text);
  const server = await startEmbeddingServer(learnedEmbedding(texts));
  const embedder = createEmbedder({ provider: 'openai-chat', model: 'learned' }, { baseUrl: `${server.url}/v1` });
  const store = new DocumentStore(roots, async () => embedder);
  const { problem } = await store.embed('corpus', embedder, { signal: new AbortController().signal, confirm: async () => true });
  if (problem) throw new Error(problem);
  return {
    store,
    async close() {
      await store.close();
      await server.close();
    },
  };
}
