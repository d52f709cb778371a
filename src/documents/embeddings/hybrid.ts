/** Combines the ranking by words with the ranking by embeddings. */
import type { Database, QueryResult } from 'node-sqlite3-wasm';
import type { SearchOptions } from '../collections.ts';
import type { Place } from '../document.ts';
import type { IndexReader } from '../index/database.ts';
import { filterConditions } from '../index/filter.ts';
import type { Candidate } from '../index/search.ts';
import type { Embedder } from './embedder.ts';
import { combined, type FoundPassage, type SimilarPassage } from './fusion.ts';
import { embeddedPassage } from './passages.ts';
import { embeddingsReader, type ReadableIndex } from './schema.ts';
import { type Similar, similarIn } from './similar.ts';
import { modelIn, passagesWithVector } from './stored.ts';

/** How long a search waits for the embedding of its query. */
const QUERY_MS = 5_000;
/** How long the model is not asked again after it has failed. */
const FAILED_MS = 60_000;
const MAX_CACHED = 200;
const MAX_QUERY = 2_000;
/** The number of passages that are taken from the embeddings of a collection. */
const SIMILAR = 40;
/** A filter leaves out some of the passages, so more of them are taken. */
const SIMILAR_FILTERED = 400;

export class HybridSearch {
  readonly #embedder: () => Promise<Embedder | undefined>;
  readonly #readers = new Map<string, IndexReader>();
  readonly #queries = new Map<string, Float32Array>();
  #failed: { at: number; message: string } | undefined;

  constructor(embedder: () => Promise<Embedder | undefined>) {
    this.#embedder = embedder;
  }

  close(directory?: string): void {
    for (const [each, reader] of this.#readers) {
      if (directory !== undefined && each !== directory) continue;
      reader.close();
      this.#readers.delete(each);
    }
  }

  /**
   * Returns the candidates with those that embeddings add, and with combined scores. Without embeddings, or if they cannot be used, returns
   * the candidates as they are.
   */
  async ranked(
    query: string,
    candidates: readonly FoundPassage[],
    collections: readonly ReadableIndex[],
    options: SearchOptions,
    signal?: AbortSignal,
  ): Promise<readonly FoundPassage[]> {
    try {
      return await this.#ranked(query, candidates, collections, options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      options.onNote?.(`The search used words only. ${(error as Error).message}`);
      return candidates;
    }
  }

  async #ranked(
    query: string,
    candidates: readonly FoundPassage[],
    collections: readonly ReadableIndex[],
    { filter, onNote }: SearchOptions,
    signal?: AbortSignal,
  ): Promise<readonly FoundPassage[]> {
    const embedder = await this.#embedder();
    const text = query.trim().slice(0, MAX_QUERY);
    if (!embedder || text === '' || embedder.isWithheld(text)) return candidates;
    const embedded: ReadableIndex[] = [];
    for (const collection of collections) {
      const model = await this.#reader(collection.directory).read(modelIn, signal);
      if (model?.name === embedder.name) embedded.push(collection);
      else if (model)
        onNote?.(
          `The embeddings of the collection ${collection.name} are of ${model.name}, so it was searched by words only. To replace them: kedge docs update ${collection.name}`,
        );
    }
    if (embedded.length === 0) return candidates;
    const vector = await this.#vector(embedder, text, signal);
    const similar: SimilarPassage[] = [];
    const most = filter?.path || filter?.format ? SIMILAR_FILTERED : SIMILAR;
    for (const { name, directory, read } of embedded) {
      const found = (await this.#reader(directory).read((db) => similarIn(db, vector, most), signal)) ?? [];
      for (const passage of (await read((db) => passagesIn(db, found, filter))) ?? []) similar.push({ collection: name, ...passage });
    }
    return combined(candidates, similar);
  }

  #reader(directory: string): IndexReader {
    const reader = this.#readers.get(directory) ?? embeddingsReader(directory);
    this.#readers.set(directory, reader);
    return reader;
  }

  /** @throws Error with a message for the user */
  async #vector(embedder: Embedder, text: string, signal?: AbortSignal): Promise<Float32Array> {
    const key = `${embedder.name}\n${text}`;
    const known = this.#queries.get(key);
    if (known) return known;
    if (this.#failed && performance.now() - this.#failed.at < FAILED_MS) throw new Error(this.#failed.message);
    const late = AbortSignal.timeout(QUERY_MS);
    try {
      const [vector] = await embedder.embed([text], 'query', signal ? AbortSignal.any([signal, late]) : late);
      if (!vector) throw new Error(`${embedder.label} sent no embedding.`);
      this.#failed = undefined;
      if (this.#queries.size >= MAX_CACHED) this.#queries.clear();
      this.#queries.set(key, vector);
      return vector;
    } catch (error) {
      signal?.throwIfAborted();
      const message = late.aborted ? `${embedder.label} did not answer within ${QUERY_MS / 1_000} seconds.` : (error as Error).message;
      this.#failed = { at: performance.now(), message };
      throw new Error(message);
    }
  }
}

/** Embeddings that cannot be read are computed again by the next update, so they count as missing. */
export async function embeddingsIn(directory: string): Promise<{ model: string; passages: number } | undefined> {
  const reader = embeddingsReader(directory);
  try {
    return await reader.read((db) => {
      const model = modelIn(db)?.name;
      return model === undefined ? undefined : { model, passages: passagesWithVector(db) };
    });
  } catch {
    return undefined;
  } finally {
    reader.close();
  }
}

/** Reads the passages from the index. Those whose text has changed since are left out. */
function passagesIn(db: Database, similar: readonly Similar[], filter: SearchOptions['filter']): (Candidate & { similarity: number })[] {
  const { conditions, values } = filterConditions(filter, 'd.');
  const statement = db.prepare(
    `select d.key, d.title, c.id, c.path, c.place, c.lead, c.text, c.start, c.print from chunks c join documents d on d.id = c.document
     where ${['c.id = ?', ...conditions].join(' and ')}`,
  );
  try {
    const passages: (Candidate & { similarity: number })[] = [];
    for (const { chunk, digest, similarity } of similar) {
      if (passages.length === SIMILAR) break;
      const row = statement.get([chunk, ...values]);
      if (row && embeddedPassage(row).digest.equals(digest)) passages.push({ ...candidateOf(row), similarity });
    }
    return passages;
  } finally {
    statement.finalize();
  }
}

function candidateOf(row: QueryResult): Candidate {
  return {
    document: String(row.key),
    title: String(row.title),
    titlePath: JSON.parse(String(row.path)) as string[],
    place: JSON.parse(String(row.place)) as Place,
    text: String(row.lead) + String(row.text),
    start: Number(row.start),
    print: String(row.print),
    score: 0,
  };
}
