/** Lets a thread do the work on the indexes, so that neither indexing nor a search in many documents blocks the program. */
import { Worker } from 'node:worker_threads';
import type { SearchOptions, Source } from '../../../../documents/collections.ts';
import type { Candidate } from '../../../../documents/index/search.ts';
import type { IndexWork, UpdateOptions } from '../../../../documents/store/index-work.ts';
import type { SourceDocument, UpdateEvent, UpdatePorts, UpdateReport } from '../../../../documents/store/sources.ts';
import { Calls, Moved } from './calls.ts';

/** How many documents are listed in one message. */
const BATCH = 200;
/** How long an idle thread is kept. Its memory is free when it ends. */
const IDLE_MS = 30_000;
/**
 * A small young generation keeps the memory flat while thousands of documents are indexed. The other limit is far above what one document
 * needs, because Node may end the whole program at it.
 */
const RESOURCES = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1_024 };

/** The next documents of a source. `number` identifies a document, whose bytes the thread asks for. */
export type Batch = { documents: (Omit<SourceDocument, 'bytes'> & { number: number })[]; done: boolean };

/** A source that is being listed. `error` is reported when the documents before it have been sent. */
type List = { items: AsyncIterator<SourceDocument>; error?: Error };
type RunningUpdate = {
  ports: UpdatePorts;
  sources: readonly Source[];
  signal: AbortSignal;
  notify(event: UpdateEvent): void;
  lists: Map<number, List>;
  documents: Map<number, SourceDocument>;
};
type Thread = { worker: Worker; calls: Calls };

export class IndexThread implements IndexWork {
  readonly #updates = new Map<number, RunningUpdate>();
  #thread: Thread | undefined;
  #ids = 0;
  #calls = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  async update(
    directory: string,
    sources: readonly Source[],
    ports: UpdatePorts,
    { signal, notify = () => undefined, limits }: UpdateOptions,
  ): Promise<UpdateReport> {
    const id = ++this.#ids;
    const running: RunningUpdate = { ports, sources, signal, notify, lists: new Map(), documents: new Map() };
    this.#updates.set(id, running);
    try {
      return (await this.#call('update', [id, directory, sources, limits], signal)) as UpdateReport;
    } finally {
      this.#updates.delete(id);
      for (const { items } of running.lists.values()) void items.return?.().catch(() => undefined);
    }
  }

  async candidates(directory: string, query: string, { filter, limit, tolerant }: SearchOptions, signal?: AbortSignal) {
    return (await this.#call('candidates', [directory, query, { filter, limit, tolerant }], signal)) as Candidate[] | undefined;
  }

  async clear(directory: string): Promise<void> {
    await this.#call('clear', [directory]);
  }

  async recover(directory: string): Promise<void> {
    await this.#call('recover', [directory]);
  }

  /** Ends the thread. The next call starts a new one. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    clearTimeout(this.#idleTimer);
    if (!thread) return;
    thread.worker.ref();
    await thread.calls.call('close', []).catch(() => undefined);
    await thread.worker.terminate();
  }

  async #call(method: string, args: unknown[], signal?: AbortSignal): Promise<unknown> {
    clearTimeout(this.#idleTimer);
    this.#thread ??= this.#start();
    const { worker, calls } = this.#thread;
    worker.ref();
    this.#calls++;
    try {
      return await calls.call(method, args, signal);
    } finally {
      if (--this.#calls === 0) this.#rest();
    }
  }

  /** Keeps the thread for the next call, but not the process alive. */
  #rest(): void {
    this.#thread?.worker.unref();
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #start(): Thread {
    // The program is bundled, but not in tests.
    const file = import.meta.url.endsWith('.ts') ? './index-worker.ts' : './indexes.js';
    const worker = new Worker(new URL(file, import.meta.url), {
      name: 'kedge indexes',
      resourceLimits: RESOURCES,
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    for (const stream of [worker.stdout, worker.stderr]) stream.resume();
    const calls = new Calls(worker, {
      list: (_, update: number, list: number, source: number) => this.#list(update, list, source),
      away: (_, update: number, source: number, keys: readonly string[]) => {
        const { ports, sources } = this.#running(update);
        return ports.away?.(sources[source] as Source, keys);
      },
      bytes: (_, update: number, number: number) => this.#bytes(update, number),
      notify: (_, update: number, event: UpdateEvent) => this.#updates.get(update)?.notify(event),
    });
    const thread = { worker, calls };
    const fail = (error: Error) => {
      if (this.#thread === thread) this.#thread = undefined;
      calls.end(error);
    };
    worker.on('error', (error: NodeJS.ErrnoException) => fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Error(MEMORY) : error));
    worker.on('exit', () => fail(new Error('The work on the collection was interrupted. Try again.')));
    return thread;
  }

  async #list(update: number, id: number, source: number): Promise<Batch> {
    const { ports, sources, signal, lists, documents } = this.#running(update);
    const list = lists.get(id) ?? { items: ports.list(sources[source] as Source, signal)[Symbol.asyncIterator]() };
    lists.set(id, list);
    if (list.error) throw list.error;
    const batch: Batch = { documents: [], done: false };
    try {
      while (batch.documents.length < BATCH && !batch.done) {
        const { done, value } = await list.items.next();
        if (done) batch.done = true;
        else {
          const { bytes: _, ...document } = value;
          const number = ++this.#ids;
          documents.set(number, value);
          batch.documents.push({ ...document, number });
        }
      }
    } catch (error) {
      if (batch.documents.length === 0) throw error;
      list.error = error as Error;
    }
    return batch;
  }

  async #bytes(update: number, number: number): Promise<unknown> {
    const { documents, signal } = this.#running(update);
    const document = documents.get(number);
    // A page has its text in memory until it is read.
    documents.delete(number);
    if (!document) throw new Error('The document is not listed.');
    const bytes = await document.bytes(signal);
    // Small files share their memory with others.
    const isWhole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
    return isWhole ? new Moved(bytes, [bytes.buffer as ArrayBuffer]) : new Uint8Array(bytes);
  }

  #running(update: number): RunningUpdate {
    const running = this.#updates.get(update);
    if (!running) throw new DOMException('The update has ended.', 'AbortError');
    return running;
  }
}

const MEMORY = 'Kedge ran out of memory while it indexed the collection. Remove the largest documents from it, and update it again.';
