/** Computes the embeddings of the passages of a collection that have none, after the user has agreed to the cost. */
import { breaks } from '../../core/breaks.ts';
import { tokensOfText } from '../../core/context/tokens.ts';
import { IndexWriter, isDamage } from '../index/database.ts';
import type { Embedder } from './embedder.ts';
import { documentsWithPassages, type EmbeddedDocument, type EmbeddedPassage, passagesAfter } from './passages.ts';
import { EMBEDDINGS_SCHEMA, embeddingsDirectory, type ReadableIndex } from './schema.ts';
import {
  addVectors,
  beginModel,
  connectDocument,
  type Link,
  modelIn,
  OtherVectors,
  passagesWithVector,
  removeDocument,
  removeUnused,
  statesIn,
  vectorOf,
} from './stored.ts';

/**
 * The texts that an update would send. `usd` is undefined if the price is unknown. `before` is the other model of which the embeddings are now, which will be
 * deleted.
 */
export type EmbeddingCost = {
  collection: string;
  label: string;
  isLocal: boolean;
  passages: number;
  tokens: number;
  usd?: number;
  withheld: number;
  before?: string;
};

export type EmbeddingEvent = { type: 'embedding'; done: number; todo: number } | { type: 'waiting'; message: string };

/** `todo` passages have no embedding yet, because the user declined or because of the problem. */
export type EmbeddingReport = { embedded: number; withheld: number; todo: number; passages: number; declined?: true; problem?: string };

export type EmbeddingOptions = {
  signal: AbortSignal;
  notify?(event: EmbeddingEvent): void;
  /** Nothing is sent before this resolves to true. */
  confirm(cost: EmbeddingCost): Promise<boolean>;
};

/** The number of documents that are connected in one transaction. */
const MAX_WAITING = 200;

/**
 * Each batch is stored when it arrives, so that an interrupted update is continued by the next one. If the signal aborts, an AbortError is thrown.
 * @throws CollectionBusy if another process computes embeddings of the collection
 */
export async function embedPassages(
  index: ReadableIndex,
  embedder: Embedder,
  { signal, notify = () => undefined, confirm }: EmbeddingOptions,
): Promise<EmbeddingReport> {
  const run = async (anew: boolean) => {
    const writer = new IndexWriter(embeddingsDirectory(index.directory), { anew, schema: EMBEDDINGS_SCHEMA });
    try {
      return await new Run(index, writer, embedder, signal, notify).run(confirm);
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

type Pending = EmbeddedPassage & { tokens: number };

class Run {
  readonly #index: ReadableIndex;
  readonly #writer: IndexWriter;
  readonly #embedder: Embedder;
  readonly #signal: AbortSignal;
  readonly #notify: (event: EmbeddingEvent) => void;
  /** Whether the stored embeddings are of this model. */
  #isSame: boolean;
  #pending: Pending[] = [];
  #tokens = 0;
  /** The documents whose passages have embeddings as soon as the pending ones have. */
  #waiting: { document: EmbeddedDocument; links: Link[] }[] = [];
  #done = 0;
  #todo = 0;

  constructor(index: ReadableIndex, writer: IndexWriter, embedder: Embedder, signal: AbortSignal, notify: (event: EmbeddingEvent) => void) {
    this.#index = index;
    this.#writer = writer;
    this.#embedder = embedder;
    this.#signal = signal;
    this.#notify = notify;
    this.#isSame = modelIn(writer.db)?.name === embedder.name;
  }

  async run(confirm: EmbeddingOptions['confirm']): Promise<EmbeddingReport> {
    const { db } = this.#writer;
    const documents = (await this.#index.read(documentsWithPassages)) ?? [];
    const states = this.#isSame ? statesIn(db) : new Map<number, string>();
    const changed = documents.filter(({ id, state }) => states.get(id) !== state);
    const present = new Set(documents.map(({ id }) => id));
    const { digests, tokens, withheld } = await this.#count(changed);
    this.#todo = digests;
    const report = (rest: Partial<EmbeddingReport> = {}): EmbeddingReport => ({
      ...{ embedded: this.#done, withheld, todo: this.#todo - this.#done, passages: this.#isSame ? passagesWithVector(db) : 0 },
      ...rest,
    });
    if (digests > 0) {
      const { label, isLocal, usdPerMillion } = this.#embedder;
      const before = this.#isSame ? undefined : modelIn(db)?.name;
      const cost = {
        ...{ collection: this.#index.name, label, isLocal, passages: digests, tokens, withheld },
        ...(usdPerMillion !== undefined && { usd: (tokens * usdPerMillion) / 1_000_000 }),
        ...(before !== undefined && { before }),
      };
      if (!(await confirm(cost))) return report({ declined: true });
      this.#signal.throwIfAborted();
    } else if (changed.length === 0 && present.size === states.size) return report();
    if (!this.#isSame) await this.#writer.transaction(() => beginModel(db, this.#embedder.name));
    this.#isSame = true;
    await this.#writer.transaction(() => {
      for (const id of states.keys()) if (!present.has(id)) removeDocument(db, id);
    });
    try {
      for (const document of changed) await this.#embed(document);
      await this.#flush();
    } catch (error) {
      this.#signal.throwIfAborted();
      if ((error as Error).name === 'SQLite3Error') throw error;
      // The next update begins anew, and asks before.
      if (error instanceof OtherVectors) await this.#writer.transaction(() => beginModel(db, ''));
      return report({ problem: (error as Error).message });
    }
    await this.#writer.transaction(() => removeUnused(db));
    return report();
  }

  /** Counts the texts that have no embedding. */
  async #count(documents: readonly EmbeddedDocument[]): Promise<{ digests: number; tokens: number; withheld: number }> {
    const digests = new Set<string>();
    const pause = breaks();
    let [tokens, withheld] = [0, 0];
    for (const { id } of documents)
      for await (const { text, digest } of this.#passages(id)) {
        await pause();
        if (this.#embedder.isWithheld(text)) withheld++;
        else if (!this.#has(digest) && !digests.has(digest.toString('hex'))) {
          digests.add(digest.toString('hex'));
          tokens += tokensOfText(text);
        }
      }
    return { digests: digests.size, tokens: Math.ceil(tokens), withheld };
  }

  #has(digest: Buffer): boolean {
    return this.#isSame && vectorOf(this.#writer.db, digest) !== undefined;
  }

  async *#passages(document: number): AsyncGenerator<EmbeddedPassage> {
    for (let after = 0; ; ) {
      this.#signal.throwIfAborted();
      const page = (await this.#index.read((db) => passagesAfter(db, document, after))) ?? [];
      if (page.length === 0) return;
      yield* page;
      after = page.at(-1)?.chunk as number;
    }
  }

  async #embed(document: EmbeddedDocument): Promise<void> {
    const links: Link[] = [];
    for await (const passage of this.#passages(document.id)) {
      const { chunk, text, digest } = passage;
      if (this.#embedder.isWithheld(text)) continue;
      links.push({ chunk, digest });
      if (this.#has(digest) || this.#pending.some((each) => each.digest.equals(digest))) continue;
      const tokens = tokensOfText(text);
      const { batch } = this.#embedder;
      if (this.#pending.length >= batch.texts || (this.#pending.length > 0 && this.#tokens + tokens > batch.tokens)) await this.#flush();
      this.#pending.push({ ...passage, tokens });
      this.#tokens += tokens;
    }
    this.#waiting.push({ document, links });
    if (this.#pending.length === 0 && this.#waiting.length >= MAX_WAITING) await this.#flush();
  }

  /** Sends the pending texts in one request, and stores its answer in one transaction. */
  async #flush(): Promise<void> {
    const pending = this.#pending;
    const texts = pending.map(({ text }) => text);
    if (texts.length > 0) this.#notify({ type: 'embedding', done: this.#done, todo: this.#todo });
    const wait = (message: string) => this.#notify({ type: 'waiting', message });
    const vectors = texts.length > 0 ? await this.#embedder.embed(texts, 'passage', this.#signal, wait) : [];
    const { db } = this.#writer;
    await this.#writer.transaction(() => {
      addVectors(
        db,
        pending.map(({ digest }) => digest),
        vectors,
      );
      for (const { document, links } of this.#waiting) connectDocument(db, document, links);
    });
    this.#done += pending.length;
    this.#notify({ type: 'embedding', done: this.#done, todo: this.#todo });
    [this.#pending, this.#waiting, this.#tokens] = [[], [], 0];
  }
}
