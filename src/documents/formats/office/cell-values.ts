/** Formats the values of the cells of a workbook as Excel does, as far as a search needs it. */
import { readXml } from './xml.ts';

/** Numbers of the formats of Excel that show dates or times. */
const DATES = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58]);
const TIMES = new Set([18, 19, 20, 21, 32, 33, 45, 46, 47, 55, 56]);
const PERCENTAGES = new Set([9, 10]);
const DAY_MS = 86_400_000;
/** Day 0 of Excel's calendar. It contains February 29, 1900, which did not exist; only January and February 1900 are a day off. */
const EPOCH = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

export type NumberKind = 'number' | 'date' | 'time' | 'percentage';

/** Returns what kind of number each style of a cell shows. */
export function numberKindsIn(styles: Uint8Array | undefined): NumberKind[] {
  const kinds: NumberKind[] = [];
  const formats = new Map<number, string>();
  let isInCells = false;
  if (styles)
    readXml(styles, {
      open(name, attributes) {
        if (name === 'numFmt') formats.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
        else if (name === 'cellXfs') isInCells = true;
        else if (name === 'xf' && isInCells) kinds.push(kindOf(Number(attributes.numFmtId), formats));
      },
      close(name) {
        if (name === 'cellXfs') isInCells = false;
      },
    });
  return kinds;
}

export function shownNumber(value: string, kind: NumberKind, is1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (kind === 'percentage') return `${rounded(number * 100)}%`;
  if (kind === 'number') return rounded(number);
  const time = (is1904 ? EPOCH_1904 : EPOCH) + Math.round(number * 86_400) * 1_000;
  if (number < 0 || time > Date.UTC(9999, 11, 31)) return value;
  const iso = new Date(time).toISOString();
  const clock = iso.slice(11, iso.endsWith(':00.000Z') ? 16 : 19);
  if (kind === 'time' && number < 1) return clock;
  return time % DAY_MS === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${clock}`;
}

function kindOf(id: number, formats: ReadonlyMap<number, string>): NumberKind {
  if (DATES.has(id)) return 'date';
  if (TIMES.has(id)) return 'time';
  if (PERCENTAGES.has(id)) return 'percentage';
  // Quoted text, colors and characters after a backslash do not count.
  const code = (formats.get(id) ?? '')
    .slice(0, 200)
    .replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    .split(';', 1)[0] as string;
  if (/general/i.test(code)) return 'number';
  if (/[yd]/i.test(code)) return 'date';
  if (/[hs]/i.test(code)) return 'time';
  if (/m/i.test(code)) return 'date';
  return code.includes('%') ? 'percentage' : 'number';
}

/** Removes the digits that come only from binary fractions, such as those of 0.1 + 0.2. */
function rounded(number: number): string {
  return String(Number(number.toPrecision(15)));
}
