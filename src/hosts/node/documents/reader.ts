/**
 * Reads documents in a thread of their own, one after another. The thread has a limit of memory, and is ended when a document takes too long
 * or when its signal aborts; the next document gets a new one. Nothing that a document contains can stop the program.
 */
import { Worker } from 'node:worker_threads';
import { abortable } from '../../../core/abort.ts';
import { DocumentError, type ParsedDocument, type ReadDocument } from '../../../documents/document.ts';
import { outOfMemory } from '../../../documents/formats/memory.ts';
import type { ReadMessage, ReadRequest, ThreadData } from './messages.ts';

export type ReaderLimits = {
  /** The time limit for one document, without the time to load its parser. */
  timeoutMs: number;
  /** The additional time for each page of a long PDF. */
  pageMs: number;
  /** The memory that the objects of the thread may take. */
  heapMb: number;
  /** How much the memory of the whole program may grow while a document is read. This includes buffers, which the limit of the thread does not count. */
  growthMb: number;
  /** How long an idle thread is kept. */
  idleMs: number;
};

const LIMITS: ReaderLimits = { timeoutMs: 4_500, pageMs: 20, heapMb: 280, growthMb: 320, idleMs: 30_000 };
/** This many pages must be read in the time of one document. */
const FREE_PAGES = 100;
/**
 * Node ends a thread at this limit, but ends the whole program if one large object exceeds it. The other limits apply long before, so that it
 * is not reached.
 */
const HARD_HEAP_MB = 1_024;
/** A thread that has not loaded the parser by then is ended. */
const START_MS = 60_000;
const MEMORY_CHECK_MS = 25;
/** A thread that keeps more memory than this after a document is not used for the next. */
const MAX_KEPT_MB = 120;

type Job = {
  id: number;
  path: string;
  bytes: Uint8Array;
  /** The memory of the program when the job began, in bytes. */
  before: number;
  startedAt: number;
  settle(result: ParsedDocument | Error): void;
};

export class DocumentReader {
  readonly #limits: ReaderLimits;
  #worker: Worker | undefined;
  /** The memory that the thread had after its last document, in bytes. */
  #kept = 0;
  #job: Job | undefined;
  #ids = 0;
  #timer: NodeJS.Timeout | undefined;
  #memoryTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Settles when the earlier documents have been read. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<ReaderLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  readonly read: ReadDocument = (path, bytes, signal) => {
    const turn = this.#previous.then(() => {
      signal.throwIfAborted();
      return this.#readNow(path, bytes, signal);
    });
    this.#previous = turn.catch(() => {});
    return abortable(turn, signal);
  };

  /** Ends the thread. A document that is being read fails. */
  async dispose(): Promise<void> {
    await this.#end(new DocumentError('too-slow', 'The document was not read to its end, because Kedge was closed. Try again.'));
  }

  #readNow(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<ParsedDocument> {
    return new Promise<ParsedDocument>((resolve, reject) => {
      const stop = () => void this.#end(signal.reason instanceof Error ? signal.reason : new DOMException('Stopped.', 'AbortError'));
      signal.addEventListener('abort', stop, { once: true });
      const settle = (result: ParsedDocument | Error) => {
        signal.removeEventListener('abort', stop);
        this.#rest();
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      this.#job = { id: ++this.#ids, path, bytes, before: process.memoryUsage.rss(), startedAt: performance.now(), settle };
      this.#begin(this.#job);
    });
  }

  #begin(job: Job): void {
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#allow(START_MS);
    this.#memoryTimer = setInterval(() => this.#checkMemory(job), MEMORY_CHECK_MS);
    const { id, path, bytes } = job;
    this.#worker.postMessage({ id, path, bytes } satisfies ReadRequest);
  }

  #start(): Worker {
    // The program is bundled, but not in tests.
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './documents.js';
    const worker = new Worker(new URL(file, import.meta.url), {
      name: 'kedge documents',
      workerData: { maxHeapBytes: this.#limits.heapMb * (1 << 20) } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HARD_HEAP_MB, maxYoungGenerationSizeMb: 32 },
      // Code that reads documents must not have access to the keys that the environment of the program may contain.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    // The output of the packages must not reach the user's terminal. It is read, so that it does not accumulate.
    for (const stream of [worker.stdout, worker.stderr]) stream.resume();
    worker.on('message', (message: ReadMessage) => this.#receive(worker, message));
    worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('The thread ended.')));
    return worker;
  }

  #receive(worker: Worker, message: ReadMessage): void {
    const job = this.#job;
    if (worker !== this.#worker || message.id !== job?.id) return;
    switch (message.kind) {
      case 'started':
        job.startedAt = performance.now();
        this.#allow(this.#limits.timeoutMs);
        break;
      case 'pages':
        this.#allow(this.#limits.timeoutMs + Math.max(0, message.count - FREE_PAGES) * this.#limits.pageMs, job.startedAt);
        break;
      case 'read':
        this.#kept = message.kept;
        job.settle(message.document);
        break;
      case 'failed':
        this.#kept = message.kept;
        job.settle(new DocumentError(message.problem, message.message));
    }
  }

  /** Sets the time after which the document counts as too slow. */
  #allow(ms: number, from = performance.now()): void {
    clearTimeout(this.#timer);
    const message = `Reading the document takes longer than ${Math.round(ms / 1_000)} seconds. Split it into smaller documents.`;
    this.#timer = setTimeout(() => void this.#end(new DocumentError('too-slow', message)), Math.max(1, ms - (performance.now() - from)));
  }

  #checkMemory({ before }: Job): void {
    if (process.memoryUsage.rss() - before <= this.#limits.growthMb * (1 << 20)) return;
    void this.#end(outOfMemory());
  }

  /** Handles the unexpected end of a thread. */
  #fail(worker: Worker, error: NodeJS.ErrnoException): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const job = this.#job;
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') job?.settle(outOfMemory());
    else job?.settle(new DocumentError('damaged', 'The document is damaged: reading it failed. Open it in its program and save it again.'));
  }

  /** Ends the thread, and with it the document that is being read. */
  async #end(reason: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const job = this.#job;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    clearInterval(this.#memoryTimer);
    await worker?.terminate();
    // The job is settled after the thread has ended, so that the memory of two documents is never needed at once.
    if (job === this.#job) job?.settle(reason);
  }

  /** Keeps the thread for the next document, but not the process alive. */
  #rest(): void {
    this.#job = undefined;
    clearTimeout(this.#timer);
    clearInterval(this.#memoryTimer);
    this.#worker?.unref();
    if (this.#kept > MAX_KEPT_MB * (1 << 20)) void this.#endIdle();
    else this.#idleTimer = setTimeout(() => void this.#endIdle(), this.#limits.idleMs).unref();
  }

  async #endIdle(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
