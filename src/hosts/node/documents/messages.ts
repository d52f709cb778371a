/** The messages between the program and the thread that reads documents. */
import type { DocumentProblem, ParsedDocument } from '../../../documents/document.ts';

/** The data that the thread gets when it starts. */
export type ThreadData = { maxHeapBytes: number };

export type ReadRequest = { id: number; path: string; bytes: Uint8Array };

export type ReadMessage =
  /** The parser is loaded, so the time limit of the document begins. */
  | { id: number; kind: 'started' }
  /** The document has many pages and may take longer. */
  | { id: number; kind: 'pages'; count: number }
  /** `kept` is the memory that the thread has after the document, in bytes. */
  | { id: number; kind: 'read'; document: ParsedDocument; kept: number }
  | { id: number; kind: 'failed'; problem: DocumentProblem; message: string; kept: number };
