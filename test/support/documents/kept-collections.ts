/** Collections of documents in a temporary directory. The documents are in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpdatePorts } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { readDocument } from './reading.ts';

type Contents = Readonly<Record<string, string | Uint8Array>>;

/** @param collections contents by the names of the collections and of the documents */
export async function keptCollections(collections: Readonly<Record<string, Contents>>) {
  const directory = await mkdtemp(join(tmpdir(), 'kedge-documents-'));
  const store = new DocumentStore({ workspace: join(directory, 'workspace'), global: join(directory, 'global') });
  for (const [name, contents] of Object.entries(collections)) {
    store.define(name, 'workspace', [{ kind: 'folder', path: directory }]);
    await store.update(name, portsOf(contents));
  }
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function portsOf(contents: Contents): UpdatePorts {
  return {
    async *list() {
      for (const [key, content] of Object.entries(contents)) yield { key, name: key, bytes: async () => Buffer.from(content) };
    },
    read: readDocument,
  };
}
