/** The interface between the host and an update of a collection: documents, the reader, and the progress. */
import type { Source } from '../collections.ts';
import type { ReadDocument } from '../document.ts';

/** Whether a collection belongs to a workspace or to the user. */
export type Scope = 'workspace' | 'global';

/**
 * A document in a source. `key` identifies it in the collection, and its `name` decides how it is read. If neither size nor time changed, it
 * is not read again.
 */
export type SourceDocument = {
  key: string;
  /** The path of the file, which tells apart documents of two sources that have the same key. */
  file?: string;
  name: string;
  size?: number;
  mtimeMs?: number;
  /** @throws Error with a message for the user if the document cannot be read */
  bytes(signal: AbortSignal): Promise<Uint8Array>;
};

export type UpdatePorts = {
  /**
   * Lists the documents of a source that Kedge may read without asking. @throws SourceError when the source cannot be listed. Its documents
   * are then kept as they are. @throws SourceDenied
   */
  list(source: Source, signal: AbortSignal, scope?: Scope): AsyncIterable<SourceDocument>;
  /** Returns those of the documents that may still be there although they are not listed any more. They are kept. */
  away?(source: Source, keys: readonly string[], scope?: Scope): Promise<string[]>;
  /** A thread that does the work on the index reads the documents itself. */
  read?: ReadDocument;
};

export class SourceError extends Error {
  override name = 'SourceError';
}

/** Nothing of the source may be read any more, so what was indexed is removed. */
export class SourceDenied extends Error {
  override name = 'SourceDenied';
}

export type UpdateEvent =
  | { type: 'listed'; documents: number; todo: number }
  | { type: 'document'; key: string; result: 'indexed' | 'unchanged' | 'failed' | 'removed'; message?: string; done: number; todo: number }
  | { type: 'problem'; message: string };

/** `read` counts the documents whose content was read, and `unchanged` those that had not changed. */
export type UpdateReport = { indexed: number; unchanged: number; failed: number; removed: number; read: number; problems: string[] };

/** Describes an update for the user. */
export function reportText({ indexed, unchanged, failed, removed }: UpdateReport): string {
  const parts = [
    `${indexed} indexed`,
    unchanged > 0 && `${unchanged} unchanged`,
    removed > 0 && `${removed} removed`,
    failed > 0 && `${failed} could not be read`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

export type UpdateLimits = { bytes: number; documents: number; characters: number };

/** The largest file, the most documents of a collection, and the longest text of a document. */
export const UPDATE_LIMITS: UpdateLimits = { bytes: 50_000_000, documents: 50_000, characters: 20_000_000 };
