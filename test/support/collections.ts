/** Collections in a temporary directory, with documents in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceDocument, UpdatePorts } from '../../src/documents/store/sources.ts';
import { DocumentStore } from '../../src/documents/store/store.ts';
import { readPlainDocument } from './plain-documents.ts';

export type Files = Map<string, { text: string; mtimeMs: number }>;

/** Lists documents in memory, and counts how many of them are read. */
export function portsOf(files: Files): UpdatePorts & Required<Pick<UpdatePorts, 'read'>> & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    async *list(): AsyncGenerator<SourceDocument> {
      for (const [key, { text, mtimeMs }] of files)
        yield {
          ...{ key, name: key, size: Buffer.byteLength(text), mtimeMs },
          async bytes() {
            reads.push(key);
            return Buffer.from(text);
          },
        };
    },
    read: readPlainDocument,
  };
}

export function filesOf(texts: Readonly<Record<string, string>>): Files {
  return new Map(Object.entries(texts).map(([key, text]) => [key, { text, mtimeMs: 1 }]));
}

export async function temporaryStore() {
  const directory = await mkdtemp(join(tmpdir(), 'kedge-documents-'));
  const roots = { workspace: join(directory, 'workspace'), global: join(directory, 'global') };
  const store = new DocumentStore(roots);
  return {
    ...{ directory, roots, store },
    async remove() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates the collection `docs` from texts. */
export async function indexed(store: DocumentStore, texts: Readonly<Record<string, string>>, name = 'docs') {
  store.define(name, 'workspace', [{ kind: 'folder', path: '/docs' }]);
  return store.update(name, portsOf(filesOf(texts)));
}
