/** What the thread that reads documents and the program say to each other. */
import type { DocumentProblem, ParsedDocument } from '../../../documents/document.ts';

/** What the thread is told when it starts. */
export type ThreadData = { maxHeapBytes: number };

export type ReadRequest = { id: number; path: string; bytes: Uint8Array };

export type ReadMessage =
  /** The parser is loaded, so the time of the document begins. */
  | { id: number; kind: 'started' }
  /** The document has many pages and may take longer. */
  | { id: number; kind: 'pages'; count: number }
  | { id: number; kind: 'read'; document: ParsedDocument }
  | { id: number; kind: 'failed'; problem: DocumentProblem; message: string };
