/** Measures how often the search in documents finds the section that answers a question. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DocumentStore } from '../../../src/documents/store/store.ts';
import { readDocument } from '../../support/documents/reading.ts';
import { type CorpusFile, corpusIn } from './corpus.ts';
import { hybridStore } from './hybrid.ts';
import { type Figures, figuresOf, separation } from './metrics.ts';
import { QUESTIONS } from './questions/index.ts';
import { LATER_QUESTIONS } from './questions/later.ts';
import type { Kind, Question } from './questions/question.ts';
import { SHORT_QUESTIONS } from './questions/short.ts';
import { unanswered } from './questions/unanswered.ts';
import { type Ranker, type Result, ripgrepRanker, storeRanker } from './rankers.ts';
import { plain, type Range, Sections } from './sections.ts';

/** A result counts if it is in the section, in the document, or if its text contains the expected phrase. */
export type Level = 'section' | 'document' | 'phrase';
/** The rank of the first result that counts, from 1. */
type Rank = Record<Level, number | undefined>;

export type RankerFigures = {
  name: string;
  /** The figures of all questions, and of the two halves. The search may be tuned on the first half only. */
  all: Record<Level, Figures>;
  tuned: Figures;
  heldOut: Figures;
  /** The figures of the shorter questions by another author, and of those that were written after the search was finished. */
  short: Figures;
  later: Figures;
  kinds: { kind: Kind; count: number; recall5: number }[];
  missed: { text: string; rank: number | undefined }[];
  /** How many questions without an answer have no result, and how probably their best score is lower than that of a question with one. */
  silent: number;
  separation: number;
};

export type Quality = {
  documents: number;
  failed: number;
  chunks: number;
  questions: number;
  unanswered: number;
  rankers: RankerFigures[];
};

/** @param root the directory that contains node_modules */
export async function measureQuality(root: string, rg: string): Promise<Quality> {
  const folder = await mkdtemp(join(tmpdir(), 'kedge-questions-'));
  const roots = { workspace: join(folder, 'workspace'), global: join(folder, 'global') };
  const store = new DocumentStore(roots);
  let hybrid: Awaited<ReturnType<typeof hybridStore>> | undefined;
  try {
    const corpus = await corpusIn(root);
    const files = join(folder, 'files');
    for (const { key, bytes } of corpus) {
      mkdirSync(dirname(join(files, key)), { recursive: true });
      writeFileSync(join(files, key), bytes);
    }
    await indexCorpus(store, corpus);
    const sections = new Sections(corpus);
    hybrid = await hybridStore(roots, corpus, sections);
    const rankers: [string, Ranker][] = [
      ['BM25', storeRanker(store)],
      ['hybrid, with an embedding learned from these documents', storeRanker(hybrid.store)],
      ['BM25, tolerant of typing errors', storeRanker(store, true)],
      ['ripgrep', ripgrepRanker(rg, files, sections)],
    ];
    const figures: RankerFigures[] = [];
    for (const [name, ranker] of rankers) figures.push(await measureRanker(name, ranker, sections));
    const [collection] = await store.listCollections();
    const { documents = 0, failed = 0, chunks = 0 } = collection ?? {};
    return { documents, failed, chunks, questions: QUESTIONS.length, unanswered: unanswered.length, rankers: figures };
  } finally {
    await store.close();
    await hybrid?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export async function indexCorpus(store: DocumentStore, corpus: readonly CorpusFile[]): Promise<void> {
  store.define('corpus', 'workspace', [{ kind: 'folder', path: '/corpus' }]);
  await store.update('corpus', {
    async *list() {
      for (const { key, bytes } of corpus) yield { key, name: key, size: bytes.length, mtimeMs: 1, bytes: async () => bytes };
    },
    read: readDocument,
  });
}

export async function measureRanker(name: string, ranker: Ranker, sections: Sections): Promise<RankerFigures> {
  const ranks: Rank[] = [];
  const best: number[] = [];
  for (const question of QUESTIONS) {
    const results = await ranker(question.text);
    ranks.push(await rankOf(question, results, sections));
    best.push(results[0]?.score ?? 0);
  }
  const ranksOf = async (questions: readonly Question[]) => {
    const own: Rank[] = [];
    for (const question of questions) own.push(await rankOf(question, await ranker(question.text), sections));
    return own;
  };
  const unansweredBest: number[] = [];
  for (const text of unanswered) unansweredBest.push((await ranker(text))[0]?.score ?? 0);
  const at = (level: Level, of = ranks) => figuresOf(of.map((rank) => rank[level]));
  return {
    name,
    all: { section: at('section'), document: at('document'), phrase: at('phrase') },
    // Neighboring questions are about the same document, so every second one is held out.
    tuned: at(
      'section',
      ranks.filter((_, index) => index % 2 === 0),
    ),
    heldOut: at(
      'section',
      ranks.filter((_, index) => index % 2 === 1),
    ),
    short: at('section', await ranksOf(SHORT_QUESTIONS)),
    later: at('section', await ranksOf(LATER_QUESTIONS)),
    kinds: [...new Set(QUESTIONS.map(({ kind }) => kind))].map((kind) => {
      const own = ranks.filter((_, index) => QUESTIONS[index]?.kind === kind);
      return { kind, count: own.length, recall5: at('section', own).recall5 };
    }),
    missed: QUESTIONS.flatMap(({ text }, index) => {
      const rank = ranks[index]?.section;
      return rank === undefined || rank > 5 ? [{ text, rank }] : [];
    }),
    silent: unansweredBest.filter((score) => score === 0).length,
    separation: separation(best, unansweredBest),
  };
}

async function rankOf({ answers }: Question, results: readonly Result[], sections: Sections): Promise<Rank> {
  const places = new Map<string, Range[]>();
  for (const answer of answers) places.set(answer.document, [...(places.get(answer.document) ?? []), ...(await sections.find(answer))]);
  const first = (counts: (result: Result) => boolean | undefined) => {
    const index = results.findIndex((result) => counts(result));
    return index < 0 ? undefined : index + 1;
  };
  return {
    section: first(({ document, start, end }) => places.get(document)?.some((range) => start < range.end && end > range.start)),
    document: first(({ document }) => places.has(document)),
    phrase: first(({ document, text }) =>
      answers.some((answer) => answer.document === document && plain(text).includes(plain(answer.phrase))),
    ),
  };
}
