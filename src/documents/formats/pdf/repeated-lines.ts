/** Finds the headers and footers that repeat on the pages of a PDF, and the numbers of the pages. */
import type { Line } from './page-lines.ts';

const MIN_PAGES = 4;
/** The share of the pages that a line must be on. */
const SHARE = 0.5;
/** Only this many lines at the top and at the bottom of a page can be a header or footer. */
const OUTER = 2;

const PAGE_NUMBER = /^[-–— ]*(?:\d{1,4}|[ivxl]{1,7})[-–— ]*$/i;

/** Lines that differ only in their numbers count as the same line. */
export function repeatedLines(pages: readonly { lines: readonly Line[] }[]): ReadonlySet<Line> {
  const places = new Map<string, Line[]>();
  if (pages.length < MIN_PAGES) return new Set();
  const numbers = pages.flatMap(({ lines }) => [lines.at(0), lines.at(-1)]).filter((line) => line && PAGE_NUMBER.test(line.text)) as Line[];
  for (const { lines } of pages) {
    const outer = lines.length > 2 * OUTER ? [...lines.slice(0, OUTER), ...lines.slice(-OUTER)] : lines;
    for (const line of outer) {
      const key = `${line.text.replace(/\d+/g, '#')} ${Math.round(line.y / 4)}`;
      const same = places.get(key);
      if (same) same.push(line);
      else places.set(key, [line]);
    }
  }
  const repeated = [...places.values()].filter((lines) => lines.length >= Math.max(MIN_PAGES, pages.length * SHARE));
  return new Set([...repeated.flat(), ...numbers]);
}
