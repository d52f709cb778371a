/** The work on an index that takes long. A host can let another thread do it (`src/hosts/node/documents/thread`). */
import type { SearchOptions, Source } from '../collections.ts';
import { IndexReader, IndexWriter, isDamage, recoverIndex } from '../index/database.ts';
import { type Candidate, candidatesIn } from '../index/search.ts';
import { UPDATE_LIMITS, type UpdateEvent, type UpdateLimits, type UpdatePorts, type UpdateReport } from './sources.ts';
import { Update } from './update.ts';

export type UpdateOptions = { signal: AbortSignal; notify?(event: UpdateEvent): void; limits?: UpdateLimits };

/** `directory` is that of a collection. Only one thread of a process may write: a lock does not tell apart the threads of a process. */
export interface IndexWork {
  /** @throws CollectionBusy if another process is updating the collection */
  update(directory: string, sources: readonly Source[], ports: UpdatePorts, options: UpdateOptions): Promise<UpdateReport>;
  /** Returns undefined if nothing was indexed yet. */
  candidates(directory: string, query: string, options: SearchOptions, signal?: AbortSignal): Promise<Candidate[] | undefined>;
  /** Deletes everything in the index. @throws CollectionBusy if another process is updating the collection */
  clear(directory: string): Promise<void>;
  /** Completes what a killed process began to publish. */
  recover(directory: string): Promise<void>;
  /** Closes the databases. They are opened again when they are needed. */
  close(): Promise<void>;
}

/** Does the work on this thread. */
export class LocalIndexWork implements IndexWork {
  readonly #readers = new Map<string, IndexReader>();

  async update(
    directory: string,
    sources: readonly Source[],
    ports: UpdatePorts,
    { signal, notify = () => undefined, limits = UPDATE_LIMITS }: UpdateOptions,
  ): Promise<UpdateReport> {
    const run = async (anew: boolean) => {
      const writer = new IndexWriter(directory, { anew });
      try {
        return await new Update(writer, ports, limits, notify).run(sources, signal);
      } finally {
        writer.close();
      }
    };
    try {
      return await run(false);
    } catch (error) {
      if (!isDamage(error) || signal.aborted) throw error;
      return run(true);
    }
  }

  async candidates(directory: string, query: string, options: SearchOptions, signal?: AbortSignal): Promise<Candidate[] | undefined> {
    const reader = this.#readers.get(directory) ?? new IndexReader(directory);
    this.#readers.set(directory, reader);
    return reader.read((db) => candidatesIn(db, query, options), signal);
  }

  async clear(directory: string): Promise<void> {
    this.#readers.get(directory)?.close();
    this.#readers.delete(directory);
    new IndexWriter(directory, { anew: true }).close();
  }

  async recover(directory: string): Promise<void> {
    recoverIndex(directory);
  }

  async close(): Promise<void> {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
  }
}
