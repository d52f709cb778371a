/** Measures collections of documents: how indexing and searching grow, and how well passages are found. */
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParsedDocument } from '../../../src/documents/document.ts';
import type { SourceDocument, UpdatePorts } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';

export type Growth = {
  documents: number;
  perSecond: number;
  megabytes: number;
  queryMs: number;
  slowestMs: number;
  memoryMegabytes: number;
  updateShare: number;
};

const WORDS_PER_DOCUMENT = 1_000;
const SECTIONS = 5;
const QUERIES = 60;

/** Indexes synthetic documents of 1,000 words, searches in them, and updates one percent of them. */
export async function measureGrowth(count: number): Promise<Growth> {
  const directory = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  const store = new DocumentStore({ workspace: directory, global: `${directory}-global` });
  try {
    store.define('bench', 'workspace', [{ kind: 'folder', path: '/' }]);
    const before = process.memoryUsage.rss();
    let highest = before;
    let events = 0;
    const notify = () => {
      if (events++ % 50 === 0) highest = Math.max(highest, process.memoryUsage.rss());
    };
    const start = process.cpuUsage();
    await store.update('bench', synthetic(count, new Set()), { notify });
    const indexMs = cpuMsSince(start);
    const times: number[] = [];
    for (let query = 0; query < QUERIES; query++) {
      const words = wordsOf(1_000_003 + query);
      const text = `how to ${Array.from({ length: 2 + (query % 4) }, () => words()).join(' ')}`;
      const from = process.cpuUsage();
      await store.search(text);
      times.push(cpuMsSince(from));
    }
    times.sort((a, b) => a - b);
    const changed = new Set(Array.from({ length: Math.ceil(count / 100) }, (_, index) => index * 100));
    const updateStart = process.cpuUsage();
    await store.update('bench', synthetic(count, changed));
    const updateMs = cpuMsSince(updateStart);
    return {
      documents: count,
      perSecond: (count / indexMs) * 1_000,
      megabytes: sizeOf(join(directory, 'bench')) / 1_000_000,
      queryMs: times[Math.floor(times.length / 2)] as number,
      slowestMs: times.at(-1) as number,
      memoryMegabytes: (highest - before) / 1_000_000,
      updateShare: updateMs / indexMs,
    };
  } finally {
    store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function synthetic(count: number, changed: ReadonlySet<number>): UpdatePorts {
  return {
    async *list(): AsyncGenerator<SourceDocument> {
      for (let index = 0; index < count; index++) {
        const seed = changed.has(index) ? index + 10_000_000 : index;
        yield { key: `d${index}.md`, name: `d${index}.md`, size: 1, mtimeMs: seed, bytes: async () => Buffer.from(String(seed)) };
      }
    },
    read: async (_, bytes) => documentOf(Number(Buffer.from(bytes).toString())),
  };
}

function documentOf(seed: number): ParsedDocument {
  const next = wordsOf(seed);
  const words = (length: number) => Array.from({ length }, next).join(' ');
  const blocks: ParsedDocument['blocks'] = [];
  for (let section = 0; section < SECTIONS; section++) {
    blocks.push({ kind: 'heading', level: section === 0 ? 1 : 2, text: words(3), place: {} });
    blocks.push({ kind: 'text', text: words(WORDS_PER_DOCUMENT / SECTIONS), place: {} });
  }
  return { blocks, notes: [] };
}

const SYLLABLES =
  'ba be bi bo da de di do fa fe ga ge ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se so ta te ti to'.split(
    ' ',
  );
const VOCABULARY = 50_000;

/** Returns words from a vocabulary by Zipf's law: the word with the rank n is n times rarer than the first one, as in texts. */
function wordsOf(seed: number): () => string {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => wordAt(Math.floor(VOCABULARY ** random()) - 1);
}

function wordAt(rank: number): string {
  let rest = rank + SYLLABLES.length;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length];
  return word;
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
