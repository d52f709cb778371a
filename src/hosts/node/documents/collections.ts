/** The collections of documents of a workspace and of the user, in the storage of Kedge. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentsPort } from '../../../app/ports.ts';
import type { Embedder } from '../../../documents/embeddings/embedder.ts';
import type { DocumentStore } from '../../../documents/store/store.ts';

export type CollectionDirectories = { workspace: string; global: string };

/** @param storage of the workspace, and `common` of all workspaces */
export function collectionDirectories(storage: string, common: string): CollectionDirectories {
  return { workspace: join(storage, 'documents'), global: join(common, 'documents') };
}

/** Opens the collections when they are first used. The code of the index is loaded only if there are collections. */
export class Collections {
  readonly #directories: CollectionDirectories;
  #store: Promise<DocumentStore> | undefined;
  /** Loads the embedding model that the user has configured. @throws Error if it cannot be used */
  readonly embedder: () => Promise<Embedder | undefined>;

  constructor(directories: CollectionDirectories, embedder: () => Promise<Embedder | undefined>) {
    this.#directories = directories;
    this.embedder = embedder;
  }

  store(): Promise<DocumentStore> {
    this.#store ??= this.#openStore();
    return this.#store;
  }

  async #openStore(): Promise<DocumentStore> {
    const [{ DocumentStore }, { IndexThread }] = await Promise.all([
      import('../../../documents/store/store.ts'),
      import('./thread/index-thread.ts'),
    ]);
    return new DocumentStore(this.#directories, this.embedder, new IndexThread());
  }

  /** Returns what a run may read: the named collections, or else all. Returns undefined if there are none. */
  async forRuns(names?: readonly string[]): Promise<DocumentsPort | undefined> {
    if (this.#isEmpty()) return undefined;
    return { collections: await this.store(), ...(names && { names }) };
  }

  /** Returns the names of the collections, in the order in which they are listed. */
  async names({
    only,
    noGlobal = false,
  }: {
    only?: readonly string[] | undefined;
    noGlobal?: boolean | undefined;
  } = {}): Promise<string[]> {
    if (this.#isEmpty()) return [];
    const all = await (await this.store()).listCollections();
    return all.filter(({ name, scope }) => (!only || only.includes(name)) && !(noGlobal && scope === 'global')).map(({ name }) => name);
  }

  /** @throws NotInCollection if there is no collection with one of the names */
  async expectNames(names: readonly string[] = []): Promise<void> {
    const known = names.length > 0 ? await this.names() : [];
    const missing = names.find((name) => !known.includes(name));
    if (missing === undefined) return;
    const { NotInCollection } = await import('../../../documents/collections.ts');
    const list = known.length > 0 ? `The collections are: ${known.join(', ')}.` : 'There are no collections. Add one with kedge docs add.';
    throw new NotInCollection(`There is no collection ${JSON.stringify(missing.slice(0, 80))}. ${list}`);
  }

  async close(): Promise<void> {
    await (await this.#store)?.close();
  }

  #isEmpty(): boolean {
    return !Object.values(this.#directories).some(hasEntries);
  }
}

function hasEntries(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
