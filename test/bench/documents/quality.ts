/** Measures how well passages are found: questions about the documentation of the packages in node_modules. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContent } from '../../../src/documents/formats/read.ts';
import { isFrequent } from '../../../src/documents/index/languages.ts';
import type { SourceDocument } from '../../../src/documents/store/sources.ts';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { QUESTIONS, type Question } from './questions.ts';

export type Quality = { documents: number; recallAt5: number; recallAt10: number; mrr: number; ndcg: number };

const ROOT = join(import.meta.dirname, '../../../node_modules');
const DOCUMENTS = 1_600;
const LARGEST = 400_000;
const DEPTH = 10;

/** Returns the documentation of the packages, and as many declarations with comments as are needed. */
function corpus(): string[] {
  const files = (pattern: string) => globSync(pattern, { cwd: ROOT }).filter((path) => statSync(join(ROOT, path)).size < LARGEST);
  const texts = files('**/*.{md,markdown}').sort();
  return [
    ...texts,
    ...files('{@*/*,*}/{dist,lib,types,.}/*.d.ts')
      .sort()
      .slice(0, Math.max(0, DOCUMENTS - texts.length)),
  ];
}

export async function measureQuality(): Promise<{ bm25: Quality; ripgrep: Quality }> {
  const directory = await mkdtemp(join(tmpdir(), 'kedge-bench-'));
  const store = new DocumentStore({ workspace: directory, global: `${directory}-global` });
  const paths = corpus();
  try {
    store.define('packages', 'workspace', [{ kind: 'folder', path: ROOT }]);
    await store.update('packages', {
      async *list(): AsyncGenerator<SourceDocument> {
        for (const key of paths) yield { key, name: key, bytes: async () => readFileSync(join(ROOT, key)) };
      },
      read: (path, bytes) => readContent(path, bytes),
    });
    const answered = QUESTIONS.filter(({ document }) => document !== undefined);
    const ranks: number[] = [];
    for (const question of answered) {
      const passages = await store.search(question.text, { limit: DEPTH });
      ranks.push(passages.findIndex((passage) => isDocument(passage.document, question) && isSection(passage, question)));
    }
    const texts = paths.map((path) => ({ path, lines: readFileSync(join(ROOT, path), 'utf8').toLowerCase().split('\n') }));
    const bare = answered.map((question) => documentsByLines(question.text, texts).findIndex((path) => isDocument(path, question)));
    return { bm25: scored(ranks, paths.length), ripgrep: scored(bare, paths.length) };
  } finally {
    store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A package can be installed several times. */
function isDocument(path: string, { document = '' }: Question): boolean {
  return path === document || path.endsWith(`/${document}`);
}

function isSection({ titlePath, text }: { titlePath: string[]; text: string }, { heading = '' }: Question): boolean {
  const headings = [...titlePath, ...[...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title)];
  return headings.some((title) => title.replaceAll('`', '').startsWith(heading));
}

/** The result of `rg --count-matches` with the words of the question, the documents with the most lines first. Any passage of a document counts. */
function documentsByLines(question: string, texts: readonly { path: string; lines: readonly string[] }[]): string[] {
  const words = (question.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? []).filter((word) => !isFrequent(word, ['en']));
  const counted = texts.map(({ path, lines }) => ({
    path,
    count: lines.filter((line) => words.some((word) => line.includes(word))).length,
  }));
  counted.sort((a, b) => b.count - a.count);
  return counted.slice(0, DEPTH).map(({ path }) => path);
}

/** A rank is -1 if the section was not found. Each question has one right section, so the ideal gain is 1. */
function scored(ranks: readonly number[], documents: number): Quality {
  const mean = (value: (rank: number) => number) => ranks.reduce((sum, rank) => sum + (rank < 0 ? 0 : value(rank)), 0) / ranks.length;
  return {
    documents,
    recallAt5: mean((rank) => (rank < 5 ? 1 : 0)),
    recallAt10: mean(() => 1),
    mrr: mean((rank) => 1 / (rank + 1)),
    ndcg: mean((rank) => 1 / Math.log2(rank + 2)),
  };
}
