/** The lines of texts. */
import type { Blocks } from './blocks.ts';
import { MAX_LINES } from './limits.ts';
import { checkMemory } from './memory.ts';

/** Divides a text into lines, up to the limit. */
export function splitLines(text: string, blocks: Blocks): string[] {
  const lines: string[] = [];
  for (let from = 0; from <= text.length; ) {
    checkMemory();
    if (lines.length >= MAX_LINES) {
      blocks.note(`Only the first ${MAX_LINES.toLocaleString('en')} lines were read.`);
      break;
    }
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? undefined : end);
    lines.push(line.endsWith('\r') ? line.slice(0, -1) : line);
    from = end < 0 ? text.length + 1 : end + 1;
  }
  return lines;
}

/** Finds the lines of offsets in a text. The offsets must be in ascending order, so that the text is read only once. */
export class Lines {
  readonly #text: string;
  #line: number;
  #next: number;

  constructor(text: string, firstLine = 1) {
    this.#text = text;
    this.#line = firstLine;
    this.#next = text.indexOf('\n');
  }

  /** Returns the line of an offset. For an offset before the previous one, this is the line of the previous one. */
  at(offset: number): number {
    while (this.#next >= 0 && this.#next < offset) {
      this.#line++;
      this.#next = this.#text.indexOf('\n', this.#next + 1);
    }
    return this.#line;
  }
}
