/** The collections of documents of a workspace and of the user, in the storage of Kedge. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentsPort } from '../../../app/ports.ts';
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

  constructor(directories: CollectionDirectories) {
    this.#directories = directories;
  }

  store(): Promise<DocumentStore> {
    this.#store ??= import('../../../documents/store/store.ts').then(({ DocumentStore }) => new DocumentStore(this.#directories));
    return this.#store;
  }

  /** Returns what a run may read: the named collections, or else all. Returns undefined if there are none. */
  async forRuns(names?: readonly string[]): Promise<DocumentsPort | undefined> {
    if (!Object.values(this.#directories).some(hasEntries)) return undefined;
    return { collections: await this.store(), ...(names && { names }) };
  }

  async close(): Promise<void> {
    (await this.#store)?.close();
  }
}

function hasEntries(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
