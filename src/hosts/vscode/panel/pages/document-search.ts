/** The search on the page about collections of documents. */
import { placeText } from '../../../../documents/citations.ts';
import type { Passage } from '../../../../documents/collections.ts';
import type { Place } from '../../../../documents/document.ts';
import type { DocumentStore } from '../../../../documents/store/store.ts';
import type { DocumentsPage, FoundPassage } from '../../../../protocol/documents-page.ts';

const MAX_PASSAGES = 20;
const MAX_TEXT = 300;

/** Searches for the newest words that the user has typed. A search for earlier words is given up. */
export class DocumentSearch {
  readonly #store: () => Promise<DocumentStore>;
  readonly #post: () => Promise<void>;
  #abort = new AbortController();
  found: DocumentsPage['found'];

  constructor(store: () => Promise<DocumentStore>, post: () => Promise<void>) {
    this.#store = store;
    this.#post = post;
  }

  async search(words: string): Promise<void> {
    this.stop();
    const { signal } = this.#abort;
    const query = words.trim();
    const passages = query === '' ? [] : await this.#passages(query, signal);
    if (signal.aborted) return;
    this.found = query === '' ? undefined : { words: query, passages: passages.map(foundPassage) };
    await this.#post();
  }

  stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  async #passages(query: string, signal: AbortSignal): Promise<Passage[]> {
    const store = await this.#store();
    const collections = (await store.listCollections()).filter(({ problem }) => problem === undefined).map(({ name }) => name);
    if (signal.aborted) return [];
    const options = { collections, limit: MAX_PASSAGES };
    try {
      const passages = await store.search(query, options, signal);
      // A typing error in a word must not look like a missing document.
      return passages.length > 0 ? passages : await store.search(query, { ...options, tolerant: true }, signal);
    } catch (error) {
      if (signal.aborted) return [];
      throw error;
    }
  }
}

function foundPassage({ collection, document, titlePath, place, text }: Passage): FoundPassage {
  return {
    ...{ collection, document, place: placeText(place) },
    where: [whereText(place), titlePath.join(' > ')].filter(Boolean).join(', '),
    text: text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT),
  };
}

function whereText(place: Place): string {
  const { line, page, slide } = place;
  if (page !== undefined) return `page ${page}`;
  if (slide !== undefined) return `slide ${slide}`;
  return line === undefined ? placeText(place) : `line ${line}`;
}
