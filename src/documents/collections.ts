/** The interface for searching and reading collections of documents. The tools of the model and the terminal program use it. */
import type { DocumentFormat, DocumentProblem, Place } from './document.ts';

/** Where the documents of a collection come from. The host that reads them interprets paths, globs and addresses. */
export type Source =
  /** `code`: the comments in source code are documents too. */
  | { kind: 'folder'; path: string; code?: boolean }
  | { kind: 'glob'; path: string; glob: string; code?: boolean }
  | { kind: 'file'; path: string }
  /** A page, with the pages below it up to `depth` links away and at most `pages` in total. */
  | { kind: 'url'; url: string; depth: number; pages: number };

/** A collection belongs to a workspace or to the user (`global`). Its name is unique among both. */
export type CollectionSummary = {
  name: string;
  scope: 'workspace' | 'global';
  sources: Source[];
  /** Whether a part of the collection was fetched from the network. */
  isFromNetwork: boolean;
  documents: number;
  failed: number;
  /** The documents that still have to be read, because an update was interrupted. */
  todo: number;
  chunks: number;
  /** Why the collection cannot be used, for the user. Other collections are not affected. */
  problem?: string;
};

/** `key` identifies a document in its collection: a path relative to its source, or an address. */
export type DocumentSummary = {
  collection: string;
  key: string;
  title: string;
  format: DocumentFormat | '';
  language: string;
  /** The length of the text in characters. */
  length: number;
  /** `todo` means that the document has to be read or read again. Until then, its previous content is used. */
  state: 'ready' | 'failed' | 'todo';
  problem?: DocumentProblem | 'unreadable';
  /** Why the document could not be read, for the user. */
  message?: string;
  notes: string[];
};

/** `path` is a glob or the beginning of a key. */
export type DocumentFilter = { path?: string; format?: DocumentFormat; state?: DocumentSummary['state'] };

export type SearchOptions = {
  /** Names of collections. Without it, all collections are searched. */
  collections?: readonly string[];
  filter?: Pick<DocumentFilter, 'path' | 'format'>;
  limit?: number;
  /** Whether a word that occurs in no document also matches similar words. */
  tolerant?: boolean;
  /** Is called with a sentence for the user if embeddings could not be used. */
  onNote?(note: string): void;
};

/** A part of a document that matches a query. */
export type Passage = {
  collection: string;
  document: string;
  title: string;
  /** The headings above the passage. */
  titlePath: string[];
  place: Place;
  text: string;
  /** From 0 to 1. A higher score is better. A low score suggests that the documents have no answer, but does not prove it. */
  score: number;
  /** The number of further passages with nearly the same text, which are left out. */
  repeated: number;
  /** The position of the passage in the text of the document, in characters. */
  start: number;
};

export type OutlineEntry = { level: number; title: string; titlePath: string[]; place: Place; start: number; length: number };

/** `start` and `end` are characters of the text, `pages` counts pages, slides or sheets from 1. */
export type ContentRange = { start?: number; end?: number; pages?: { from: number; to: number } };

export type DocumentContent = {
  title: string;
  text: string;
  start: number;
  end: number;
  length: number;
  place?: Place;
  /** The passages in it, each of which is on one page, slide or sheet. `start` is a character of the document. */
  passages: { start: number; place: Place }[];
};

export interface DocumentCollections {
  listCollections(): Promise<CollectionSummary[]>;
  listDocuments(collection: string, filter?: DocumentFilter, limit?: number): Promise<{ documents: DocumentSummary[]; total: number }>;
  search(query: string, options?: SearchOptions, signal?: AbortSignal): Promise<Passage[]>;
  outline(collection: string, document: string): Promise<OutlineEntry[]>;
  /**
   * Returns a section with everything below it. `heading` is a title, or several from the top down, joined by ` > `.
   */
  section(collection: string, document: string, heading: string): Promise<DocumentContent>;
  content(collection: string, document: string, range?: ContentRange): Promise<DocumentContent>;
}

/** The error for a collection, document or section that does not exist. Its message is written for the user and for the model. */
export class NotInCollection extends Error {
  override name = 'NotInCollection';
}

/** Another process is updating the collection. */
export class CollectionBusy extends Error {
  override name = 'CollectionBusy';
}
