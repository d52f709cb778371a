/** Measures collections of documents: how indexing and searching grow, and how well passages are found. */
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceDocument, UpdatePorts } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { IndexThread } from '../../../src/hosts/node/documents/thread/index-thread.ts';
import { median } from '../loop.ts';
import { BlockedTime } from './blocked.ts';
import { markdownOf, queryOf } from './synthetic.ts';

export type Growth = {
  documents: number;
  perSecond: number;
  megabytes: number;
  queryMs: number;
  slowestMs: number;
  /** The highest memory of the process, compared to before. `flatMegabytes` is how much higher it is in the second half than in the first. */
  memoryMegabytes: number;
  flatMegabytes: number;
  updateShare: number;
  /** How long the thread of the program was busy at most, while documents were indexed and while they were searched. */
  blockedIndexingMs: number;
  blockedSearchingMs: number;
  /** The share of the work on the index that is done by the thread of the program. */
  busyShare: number;
};

const QUERIES = 60;
/** How often memory is measured while documents are indexed. */
const EVERY = 25;

/** Indexes synthetic documents of 1,000 words with the threads of the program, searches in them, and updates one percent of them. */
export async function measureGrowth(count: number): Promise<Growth> {
  const directory = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  const store = new DocumentStore({ workspace: directory, global: `${directory}-global` }, undefined, new IndexThread());
  const blocked = new BlockedTime();
  try {
    store.define('bench', 'workspace', [{ kind: 'folder', path: '/' }]);
    // The texts are made before, so that this does not count.
    const texts = Array.from({ length: Math.min(count, DIFFERENT) }, (_, index) => markdownOf(index));
    const before = process.memoryUsage.rss();
    const memory: number[] = [];
    const notify = () => memory.push(process.memoryUsage.rss());
    blocked.take();
    const start = process.cpuUsage();
    await store.update('bench', synthetic(count, texts), { notify: onceIn(EVERY, notify) });
    const indexMs = cpuMsSince(start);
    const indexing = blocked.take();
    const times: number[] = [];
    for (let query = 0; query < QUERIES; query++) {
      const from = process.cpuUsage();
      await store.search(queryOf(query));
      times.push(cpuMsSince(from));
    }
    const searching = blocked.take();
    const updateStart = process.cpuUsage();
    await store.update('bench', synthetic(count, texts, 100));
    const updateMs = cpuMsSince(updateStart);
    const [first, second] = [memory.slice(0, memory.length / 2), memory.slice(memory.length / 2)].map((half) => Math.max(...half));
    return {
      documents: count,
      perSecond: (count / indexMs) * 1_000,
      megabytes: sizeOf(join(directory, 'bench')) / 1_000_000,
      queryMs: median(times),
      slowestMs: Math.max(...times),
      memoryMegabytes: (Math.max(...memory) - before) / 1_000_000,
      flatMegabytes: ((second as number) - (first as number)) / 1_000_000,
      updateShare: updateMs / indexMs,
      blockedIndexingMs: indexing.longestMs,
      blockedSearchingMs: searching.longestMs,
      busyShare: indexing.totalMs / indexMs,
    };
  } finally {
    blocked.end();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The number of different texts. The other documents repeat them with a different number in front, so that they are not in memory. */
const DIFFERENT = 1_000;

/** @param changed one of so many documents has changed */
function synthetic(count: number, texts: readonly string[], changed = 0): Pick<UpdatePorts, 'list'> {
  return {
    async *list(): AsyncGenerator<SourceDocument> {
      for (let index = 0; index < count; index++) {
        const isChanged = changed > 0 && index % changed === 0;
        // A changed document has the text of another one.
        const text = texts[(isChanged ? index + 1 : index) % texts.length];
        const bytes = async () => Buffer.from(`document${index}\n\n${text}`);
        yield { key: `d${index}.md`, name: `d${index}.md`, size: 1, mtimeMs: isChanged ? 2 : 1, bytes };
      }
    },
  };
}

function onceIn(every: number, act: () => void): () => void {
  let calls = 0;
  return () => {
    if (calls++ % every === 0) act();
  };
}

/** Processor time, because other programs may run at the same time. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(directory, entry.name)).size, 0);
}
