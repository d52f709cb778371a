/** Determines which lines of a PDF are headings: those that the outline names, and those that are larger than the text around them. */
import type { OutlineEntry } from './outline.ts';
import { joinedLines, type Line, mostFrequent } from './page-lines.ts';

const MAX_LENGTH = 200;
/** A heading is at least this many times as large as the text. */
const LARGER = 1.12;
const MAX_LEVELS = 4;

export class Headings {
  readonly #outline = new Map<string, OutlineEntry[]>();
  /** The sizes of headings, the largest first. */
  readonly #sizes: number[];

  constructor(pages: readonly { lines: readonly Line[] }[], outline: readonly OutlineEntry[]) {
    for (const entry of outline) {
      const key = keyOf(entry.title);
      const entries = this.#outline.get(key);
      if (entries) entries.push(entry);
      else if (key !== '') this.#outline.set(key, [entry]);
    }
    const counts = new Map<number, number>();
    for (const { lines } of pages) for (const { size, text } of lines) counts.set(size, (counts.get(size) ?? 0) + text.length);
    const body = mostFrequent(counts);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    // A size that a third of the text has is not a heading size.
    const larger = [...counts].filter(([size, count]) => size >= body * LARGER && count < total / 3).map(([size]) => size);
    this.#sizes = larger.sort((a, b) => b - a);
  }

  /**
   * Returns the level of a heading, or undefined.
   * @param isPart true if only the outline may decide, because the lines are part of a paragraph
   */
  levelOf(lines: readonly Line[], page: number, isPart = false): number | undefined {
    const [first] = lines;
    if (!first || lines.length > 4) return undefined;
    const text = joinedLines(lines);
    // A row of dots leads to a page number in a table of contents.
    if (text.length > MAX_LENGTH || !/\p{L}/u.test(text) || text.includes('…')) return undefined;
    const named = this.#outline.get(keyOf(text))?.find((entry) => entry.page === undefined || Math.abs(entry.page - page) <= 1);
    if (named) return named.level;
    if (isPart || text.includes(' | ')) return undefined;
    const rank = this.#sizes.indexOf(first.size);
    return rank < 0 ? undefined : Math.min(MAX_LEVELS, rank + 1);
  }
}

/** The text of the page and the outline differ in whitespace, in case, and often in the number of the section. */
function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[\d.\s]+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
