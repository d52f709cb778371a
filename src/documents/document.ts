/** A document as its reader delivers it: blocks in reading order, each with its place in the file. */
export type ParsedDocument = {
  /** The title that the file itself states, otherwise undefined. The store then uses the first heading or the name of the file. */
  title?: string;
  blocks: Block[];
  /** Sentences for the user about parts that could not be read, for example "3 pages contain only images." */
  notes: string[];
};

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; text: string; place: Place }
  | { kind: 'text'; text: string; place: Place }
  | { kind: 'code'; text: string; language?: string; place: Place }
  /** Rows of cells. The first row is the head of the table. */
  | { kind: 'table'; rows: string[][]; place: Place }
  /** The name or alternative text of an image. */
  | { kind: 'image'; text: string; place: Place };

/**
 * Where a block is, as exactly as its format allows. Lines, pages and slides count from 1. A text format has lines, a PDF has pages, a
 * presentation has slides, a workbook has sheets with rows.
 */
export type Place = { line?: number; endLine?: number; page?: number; slide?: number; sheet?: string; row?: number; endRow?: number };

/** The formats that can be read. */
export type DocumentFormat = 'markdown' | 'html' | 'text' | 'pdf' | 'docx' | 'pptx' | 'xlsx' | 'csv' | 'notebook' | 'code';

/** Why a document could not be read. `message` says what happened and what to do. */
export type DocumentProblem = 'encrypted' | 'scanned' | 'too-large' | 'damaged' | 'unsupported' | 'too-slow' | 'empty';

export class DocumentError extends Error {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem, message: string) {
    super(message);
    this.problem = problem;
    this.name = 'DocumentError';
    this.problem = problem;
  }
}

/**
 * Reads the content of one document.
 * @param path the path of the file, or the last part of the address. Its extension decides the format where the content does not.
 * @throws DocumentError, or an AbortError when `signal` is aborted.
 */
export type ReadDocument = (path: string, bytes: Uint8Array, signal: AbortSignal) => Promise<ParsedDocument>;
