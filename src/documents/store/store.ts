/** All collections that a workspace can use: managing them, updating them, and asking them. */
import type {
  CollectionSummary,
  ContentRange,
  DocumentCollections,
  DocumentContent,
  DocumentFilter,
  OutlineEntry,
  Passage,
  SearchOptions,
  Source,
} from '../collections.ts';
import { CollectionBusy, NotInCollection } from '../collections.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import type { FoundPassage } from '../embeddings/fusion.ts';
import type { HybridSearch } from '../embeddings/hybrid.ts';
import { embeddingsDirectory, type ReadableIndex } from '../embeddings/schema.ts';
import type { EmbeddingOptions, EmbeddingReport } from '../embeddings/update.ts';
import { IndexReader, isBeingWritten, isDamage } from '../index/database.ts';
import { contentIn, countsIn, documentsIn, outlineIn, sectionIn } from '../index/documents.ts';
import { rankedPassages } from '../index/search.ts';
import { CollectionError, type Definition, Definitions, expectName } from './definitions.ts';
import { type IndexWork, LocalIndexWork, type UpdateOptions } from './index-work.ts';
import type { Scope, UpdatePorts, UpdateReport } from './sources.ts';

type LoadEmbedder = () => Promise<Embedder | undefined>;

const MAX_SOURCES = 100;
const MAX_LISTED = 1_000;
const MAX_RESULTS = 100;

export class DocumentStore implements DocumentCollections {
  readonly #definitions: Definitions;
  readonly #readers = new Map<string, IndexReader>();
  readonly #work: IndexWork;
  readonly #embedder: LoadEmbedder | undefined;
  #hybrid: HybridSearch | undefined;

  /**
   * `roots` are the directories for the collections of the workspace and for the global ones. `embedder` loads the model that computes the
   * embeddings of queries, if the user has configured one.
   */
  constructor(roots: Readonly<Record<Scope, string>>, embedder?: LoadEmbedder, work: IndexWork = new LocalIndexWork()) {
    this.#definitions = new Definitions(roots);
    this.#embedder = embedder;
    this.#work = work;
  }

  /** Adds sources to a collection, which is created if it does not exist. @throws CollectionError */
  define(name: string, scope: Scope, sources: readonly Source[]): Definition {
    expectName(name);
    const existing = this.#definitions.find(name);
    if (existing && existing.scope !== scope)
      throw new CollectionError(
        `The collection ${name} exists and ${existing.scope === 'global' ? 'is global: add --global' : 'belongs to this workspace: leave out --global'}, or choose another name.`,
      );
    const all = existing ? [...expectWhole(existing).sources] : [];
    for (const source of sources) if (!all.some((each) => JSON.stringify(each) === JSON.stringify(source))) all.push(source);
    if (all.length > MAX_SOURCES)
      throw new CollectionError(`A collection can have ${MAX_SOURCES} sources. Add a folder or a glob instead.`);
    return this.#definitions.write({ name, scope, sources: all });
  }

  /**
   * Reads what changed in the sources. If it is interrupted, each document is as it was before or as it is now.
   * @throws CollectionBusy if another process is updating the collection
   */
  async update(
    name: string,
    ports: UpdatePorts,
    { signal = new AbortController().signal, ...options }: Partial<UpdateOptions> = {},
  ): Promise<UpdateReport> {
    const { directory, sources, scope } = expectWhole(this.#existing(name));
    const ofScope: UpdatePorts = {
      ...ports,
      list: (source, stop) => ports.list(source, stop, scope),
      away: async (source, keys) => (await ports.away?.(source, keys, scope)) ?? [],
    };
    return this.#work.update(directory, sources, ofScope, { signal, ...options });
  }

  /** Computes the embeddings that are missing. Call this after `update`. @throws CollectionBusy if another process does the same */
  async embed(name: string, embedder: Embedder, options: EmbeddingOptions): Promise<EmbeddingReport> {
    const { embedPassages } = await import('../embeddings/update.ts');
    return embedPassages(this.#readable(expectWhole(this.#existing(name))), embedder, options);
  }

  /** Returns the model of the embeddings of a collection and how many of its passages have one, or undefined if none have. */
  async embeddings(name: string): Promise<{ model: string; passages: number } | undefined> {
    return (await import('../embeddings/hybrid.ts')).embeddingsIn(this.#existing(name).directory);
  }

  /** @throws CollectionBusy if another process is updating the collection */
  async remove(name: string): Promise<void> {
    const definition = this.#existing(name);
    if (isBeingWritten(embeddingsDirectory(definition.directory)))
      throw new CollectionBusy('Embeddings of this collection are being computed. Wait until that has ended.');
    this.#hybrid?.close(definition.directory);
    this.#readers.get(definition.directory)?.close();
    this.#readers.delete(definition.directory);
    // The lock is in the directory, so nothing else may write while it is removed. If the removal is interrupted, the index is already empty.
    await this.#work.clear(definition.directory);
    this.#definitions.remove(definition);
  }

  /** Closes the databases. They are opened again when they are needed. */
  async close(): Promise<void> {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    this.#hybrid?.close();
    await this.#work.close();
  }

  async listCollections(): Promise<CollectionSummary[]> {
    return Promise.all(
      this.#definitions.list().map(async (definition) => {
        const { name, scope, sources } = definition;
        const summary = { name, scope, sources, isFromNetwork: sources.some(({ kind }) => kind === 'url'), ...NOTHING };
        try {
          return { ...summary, ...(await this.#read(expectWhole(definition), countsIn)) };
        } catch (error) {
          // One damaged collection must not stop runs that use the others.
          return { ...summary, problem: (error as Error).message };
        }
      }),
    );
  }

  async listDocuments(collection: string, filter: DocumentFilter = {}, limit = MAX_LISTED) {
    const definition = this.#existing(collection);
    return (await this.#read(definition, (db) => documentsIn(db, collection, filter, limit))) ?? { documents: [], total: 0 };
  }

  async search(query: string, options: SearchOptions = {}, signal?: AbortSignal): Promise<Passage[]> {
    const { collections, limit = 10 } = options;
    const most = Math.max(1, Math.min(limit, MAX_RESULTS));
    const definitions = collections ? collections.map((name) => this.#existing(name)) : this.#definitions.list();
    const candidates = [];
    for (const definition of definitions) {
      const { directory } = definition;
      const own = await explained(definition, signal, () => this.#work.candidates(directory, query, { ...options, limit: most }, signal));
      for (const candidate of own ?? []) candidates.push({ collection: definition.name, ...candidate });
    }
    return rankedPassages(await this.#withSimilar(query, candidates, definitions, options, signal), most);
  }

  async #withSimilar(
    query: string,
    candidates: readonly FoundPassage[],
    definitions: readonly Definition[],
    options: SearchOptions,
    signal?: AbortSignal,
  ): Promise<readonly FoundPassage[]> {
    if (!this.#embedder) return candidates;
    this.#hybrid ??= new (await import('../embeddings/hybrid.ts')).HybridSearch(this.#embedder);
    const collections = definitions.map((definition) => this.#readable(definition));
    return this.#hybrid.ranked(query, candidates, collections, options, signal);
  }

  async outline(collection: string, document: string): Promise<OutlineEntry[]> {
    return this.#ask(collection, document, (db) => outlineIn(db, collection, document));
  }

  async section(collection: string, document: string, heading: string): Promise<DocumentContent> {
    return this.#ask(collection, document, (db) => sectionIn(db, collection, document, heading));
  }

  async content(collection: string, document: string, range: ContentRange = {}): Promise<DocumentContent> {
    return this.#ask(collection, document, (db) => contentIn(db, collection, document, range));
  }

  async #ask<T>(collection: string, document: string, query: Query<T>): Promise<T> {
    const answer = await this.#read(this.#existing(collection), query);
    if (answer === undefined)
      throw new NotInCollection(`The collection ${collection} has no document “${document}”. It has not been indexed yet.`);
    return answer;
  }

  #existing(name: string): Definition {
    const definition = this.#definitions.find(name);
    if (definition) return definition;
    const names = this.#definitions.list().map((each) => each.name);
    const known = names.length > 0 ? `The collections are: ${names.join(', ')}.` : 'There are no collections yet.';
    throw new NotInCollection(`There is no collection ${JSON.stringify(name.slice(0, 80))}. ${known}`);
  }

  #readable(definition: Definition): ReadableIndex {
    const { name, directory } = definition;
    return { name, directory, read: (query) => this.#read(definition, query) };
  }

  /** @throws CollectionError if the index cannot be read */
  async #read<T>(definition: Definition, query: Query<T>): Promise<T | undefined> {
    const { directory } = definition;
    const reader = this.#readers.get(directory) ?? new IndexReader(directory, () => this.#work.recover(directory));
    this.#readers.set(directory, reader);
    return explained(definition, undefined, () => reader.read(query));
  }
}

/** @throws CollectionError that says what to do if the index cannot be read */
async function explained<T>({ name }: Definition, signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted || error instanceof NotInCollection || error instanceof CollectionBusy) throw error;
    const { message } = error as Error;
    const advice = isDamage(error) || /^ENOENT/.test(message) ? ` To make it again: kedge docs update ${name}` : '';
    throw new CollectionError(`The index of the collection ${name} cannot be read: ${message}.${advice}`);
  }
}

type Query<T> = Parameters<typeof IndexReader.prototype.read<T>>[0];

const NOTHING = { documents: 0, failed: 0, todo: 0, chunks: 0 };

/** @throws CollectionError if the definition is damaged. An update would then remove all documents. */
function expectWhole(definition: Definition): Definition {
  if (!definition.isDamaged) return definition;
  const { name } = definition;
  throw new CollectionError(`The definition of the collection ${name} is damaged. Remove it (kedge docs remove ${name}) and add it again.`);
}
