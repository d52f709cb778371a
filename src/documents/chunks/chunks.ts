/** Cuts a document into chunks: parts that are small enough for a small model, each with the headings above it and its place. */
import type { ParsedDocument, Place } from '../document.ts';
import { type Piece, piecesOf, TARGET } from './pieces.ts';

/**
 * The texts of all chunks, in their order, are the text of the document. `lead` is shown before the text of a chunk that stands alone: the
 * head of a table that began in an earlier chunk. `titlePath` has the headings above the chunk, and `headings` those inside it.
 */
export type Chunk = { start: number; text: string; lead: string; titlePath: string[]; headings: string[]; place: Place };

/** A heading with everything below it, to the next heading of the same or a higher level. `start` and `end` are offsets in the text. */
export type Section = { level: number; title: string; titlePath: string[]; start: number; end: number; place: Place };

export type ChunkedDocument = { chunks: Chunk[]; sections: Section[]; length: number };

/** A chunk smaller than this is merged with the next one. */
const SMALL = 250;

/** A piece of content, with the headings directly before it, so that no chunk ends with a heading. */
type Unit = { pieces: Piece[]; tokens: number; path: readonly string[]; headings: string[] };

/** How long other work of the process waits. */
const PAUSE_MS = 20;

export function chunksOf(document: ParsedDocument): ChunkedDocument {
  const cutting = cut(document);
  for (;;) {
    const { done, value } = cutting.next();
    if (done) return value;
  }
}

/** Does the same, and lets other work of the process go on meanwhile. A long document takes seconds. */
export async function chunksInTurns(document: ParsedDocument, signal: AbortSignal): Promise<ChunkedDocument> {
  const cutting = cut(document);
  for (let pause = performance.now() + PAUSE_MS; ; ) {
    const { done, value } = cutting.next();
    if (done) return value;
    if (performance.now() < pause) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    pause = performance.now() + PAUSE_MS;
  }
}

function* cut(document: ParsedDocument): Generator<undefined, ChunkedDocument> {
  const chunks: Chunk[] = [];
  const outline = new Outline();
  let open: Unit | undefined;
  let start = 0;
  const close = () => {
    if (!open) return;
    const chunk = chunkOf(open, start);
    chunks.push(chunk);
    start += chunk.text.length;
    open = undefined;
  };
  for (const unit of unitsOf(document, outline)) {
    if (open && !fits(open, unit)) close();
    open = open ? merged(open, unit) : unit;
    yield;
  }
  close();
  return { chunks, sections: outline.finish(start), length: start };
}

function* unitsOf(document: ParsedDocument, outline: Outline): Generator<Unit> {
  let pending: Piece[] = [];
  let headings: string[] = [];
  let offset = 0;
  const unit = (pieces: Piece[]): Unit => {
    const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
    const all = { pieces, tokens, path: outline.path, headings };
    pending = [];
    headings = [];
    return all;
  };
  for (const piece of piecesOf(document.blocks)) {
    const last = pending.at(-1);
    if (last && (isApart(last.place, piece.place) || tokensOf(pending) > TARGET)) yield unit(pending);
    if (piece.heading) {
      outline.add(piece.heading, offset, piece.place);
      headings.push(piece.heading.title);
      pending.push(piece);
    } else yield unit([...pending, piece]);
    offset += piece.text.length;
  }
  if (pending.length > 0) yield unit(pending);
}

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** A chunk is on one page, slide or sheet only, so that its place can be opened. */
function isApart(a: Place, b: Place): boolean {
  return a.page !== b.page || a.slide !== b.slide || a.sheet !== b.sheet;
}

function fits(open: Unit, next: Unit): boolean {
  const [last, first] = [open.pieces.at(-1), next.pieces[0]];
  if (!last || !first || isApart(last.place, first.place) || first.lead) return false;
  if (open.tokens + next.tokens > TARGET) return false;
  return next.headings.length === 0 || open.tokens < SMALL;
}

function merged(open: Unit, next: Unit): Unit {
  let common = 0;
  while (common < open.path.length && open.path[common] === next.path[common]) common++;
  return {
    pieces: [...open.pieces, ...next.pieces],
    tokens: open.tokens + next.tokens,
    path: open.path.slice(0, common),
    headings: [...open.headings, ...next.headings],
  };
}

function chunkOf({ pieces, path, headings }: Unit, start: number): Chunk {
  const [first, last] = [pieces[0] as Piece, pieces.at(-1) as Piece];
  const { line, row } = first.place;
  const endLine = last.place.endLine ?? last.place.line;
  const endRow = last.place.endRow ?? last.place.row;
  const place: Place = {
    ...first.place,
    ...(line !== undefined && endLine !== undefined && { endLine }),
    ...(row !== undefined && endRow !== undefined && { endRow }),
  };
  const text = pieces.map((piece) => piece.text).join('');
  return { start, text, lead: first.lead ?? '', titlePath: [...path], headings, place };
}

/** Collects the headings. */
class Outline {
  readonly #sections: Section[] = [];
  #open: Section[] = [];

  /** The headings above the current position. */
  get path(): readonly string[] {
    return this.#open.at(-1)?.titlePath ?? [];
  }

  add({ level, title }: { level: number; title: string }, start: number, place: Place): void {
    this.#closeTo(level, start);
    const section: Section = { level, title, titlePath: [...this.path, title], start, end: start, place };
    this.#open.push(section);
    this.#sections.push(section);
  }

  finish(end: number): Section[] {
    this.#closeTo(0, end);
    return this.#sections;
  }

  #closeTo(level: number, end: number): void {
    while (this.#open.length > 0 && (this.#open.at(-1) as Section).level >= level) (this.#open.pop() as Section).end = end;
  }
}
