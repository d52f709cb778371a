/** The page about collections of documents: the data that the host sends, and the requests that it handles. */
import * as z from 'zod';

/** `notes` say what is not possible in this window, as sentences. Without `canAdd`, collections can only be searched. */
export type DocumentsPage = {
  collections: readonly CollectionEntry[];
  notes: readonly string[];
  canAdd: boolean;
  /** Whether the workspace has to be trusted before collections can be added. */
  needsTrust?: true;
  /** The result of the search for `words`. */
  found?: { words: string; passages: readonly FoundPassage[] };
};

/** `place` is for opening, such as `12-18` or `p3`; `where` is for the user, with the headings above the passage. `text` is its beginning. */
export type FoundPassage = { collection: string; document: string; place: string; where: string; text: string };

/** `todo` counts the documents that still have to be read, because an update was interrupted. */
export type CollectionEntry = {
  name: string;
  isGlobal: boolean;
  isFromNetwork: boolean;
  sources: readonly string[];
  documents: number;
  failed: number;
  todo: number;
  /** The update that is in progress. `todo` is missing until the sources have been listed. */
  progress?: { done: number; todo?: number };
  /** The result of the last update in this window. `problems` concern whole sources. */
  result?: { text: string; problems: readonly string[] };
  /** The documents, if the user has opened the list. */
  list?: DocumentList;
};

export type DocumentFilterName = 'all' | 'failed';
export type DocumentList = { filter: DocumentFilterName; documents: readonly DocumentEntry[]; total: number };

/** `problem` says why the document could not be read, and `notes` what is missing from it. */
export type DocumentEntry = { key: string; title: string; state: 'ready' | 'failed' | 'todo'; problem?: string; notes: readonly string[] };

const page = z.literal('documents');
const collection = z.string().min(1).max(100);
const document = z.string().min(1).max(4_096);

export const documentsRequests = [
  /** Asks the user for a source. Without a collection, the user is also asked for the name of a new one. */
  z.object({ page, type: z.literal('add_documents'), source: z.enum(['folder', 'files', 'page']), collection: collection.optional() }),
  z.object({ page, type: z.literal('update_collection'), collection }),
  z.object({ page, type: z.literal('cancel_update'), collection }),
  z.object({ page, type: z.literal('remove_collection'), collection }),
  /** Lists the documents of a collection. Without a filter, the list is closed. */
  z.object({ page, type: z.literal('list_documents'), collection, filter: z.enum(['all', 'failed']).optional() }),
  z.object({ page, type: z.literal('open_document'), collection, document, place: z.string().max(200).optional() }),
  /** Searches all collections. Without words, the results are removed. */
  z.object({ page, type: z.literal('search_documents'), words: z.string().max(1_000) }),
  /** Puts a prompt about a collection, or one of its documents, into the composer. */
  z.object({
    page,
    type: z.literal('use_template'),
    template: z.enum(['ask', 'summarize', 'worksheet', 'compare']),
    collection,
    document: document.optional(),
  }),
] as const;
