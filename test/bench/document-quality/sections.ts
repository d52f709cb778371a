/** Finds the sections of the corpus that answer a question. */
import { chunksOf, type Section } from '../../../src/documents/chunks/chunks.ts';
import { readDocument } from '../../support/documents/reading.ts';
import type { CorpusFile } from './corpus.ts';
import type { Answer } from './questions/question.ts';

/** A part of the text of a document, in characters, with the lines that it has in the file. */
export type Range = { start: number; end: number; line?: number | undefined; endLine?: number | undefined };

export class Sections {
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #read = new Map<string, Promise<{ text: string; sections: Section[] }>>();

  constructor(files: readonly CorpusFile[]) {
    this.#files = new Map(files.map(({ key, bytes }) => [key, bytes]));
  }

  /**
   * Returns the sections that begin with the heading of the answer and contain its phrase. An answer without a heading is in the innermost
   * sections with the phrase, or in the text above all headings.
   */
  async find({ document, section, phrase }: Answer): Promise<Range[]> {
    const { text, sections } = await this.all(document);
    const has = ({ start, end }: Range) => plain(text.slice(start, end)).includes(plain(phrase));
    const found = sections.filter((each) => has(each) && each.title.startsWith(section));
    if (section !== '') return found.map(rangeOf);
    const innermost = found.filter((each) => !found.some((other) => other !== each && other.start >= each.start && other.end <= each.end));
    const preamble = { start: 0, end: sections[0]?.start ?? text.length };
    return [...(has(preamble) ? [preamble] : []), ...innermost.map(rangeOf)];
  }

  /** @throws Error if the corpus has no such document */
  all(document: string): Promise<{ text: string; sections: Section[] }> {
    const known = this.#read.get(document) ?? this.#parse(document);
    this.#read.set(document, known);
    return known;
  }

  async #parse(document: string) {
    const bytes = this.#files.get(document);
    if (!bytes) throw new Error(`The corpus has no document ${document}.`);
    const { chunks, sections } = chunksOf(await readDocument(document, bytes));
    return { text: chunks.map(({ text }) => text).join(''), sections };
  }
}

function rangeOf({ start, end, place }: Section): Range {
  return { start, end, line: place.line, endLine: place.endLine };
}

export function plain(text: string): string {
  return text.replace(/\s+/g, ' ');
}
