/** Lists what a mention can name. The lists are kept while the user types letter by letter, and shared by all sessions. */

import type { CollectionSummary } from '../../documents/collections.ts';
import { listSessions, type SessionInfo } from '../../sessions/session-list.ts';
import { collectionsFor } from './collections.ts';
import { FileIndex } from './file-index.ts';
import type { MentionPorts } from './sources.ts';

/** The time in milliseconds after which the sessions and collections are listed again. */
const RELIST_MS = 2_000;

export class MentionLists {
  readonly files: FileIndex;
  readonly #ports: MentionPorts;
  #collections: { at: number; list: Promise<readonly CollectionSummary[]> } | undefined;
  #listed: { at: number; list: Promise<readonly SessionInfo[]> } | undefined;

  constructor(ports: MentionPorts) {
    this.#ports = ports;
    this.files = new FileIndex(ports);
  }

  /** Call this when files were created, deleted or renamed. A later search reads the list again. */
  filesChanged(): void {
    this.files.filesChanged();
  }

  async sessions(): Promise<readonly SessionInfo[]> {
    const { store, now = () => performance.now() } = this.#ports;
    if (!this.#listed || now() - this.#listed.at > RELIST_MS) this.#listed = { at: now(), list: listSessions(store.directory) };
    return this.#listed.list;
  }

  async collections(): Promise<readonly CollectionSummary[]> {
    const { now = () => performance.now() } = this.#ports;
    if (!this.#collections || now() - this.#collections.at > RELIST_MS) {
      // A damaged collection must not stop the completion of files.
      this.#collections = { at: now(), list: collectionsFor(this.#ports).catch(() => []) };
    }
    return this.#collections.list;
  }
}
