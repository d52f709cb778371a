/** What models write around or instead of the lines that they copy, where only one thing can be meant; pure. It counts only for a passage that is not there as it stands. */
import { indentOf } from './replace-match.ts';

/** Lines to be found and lines to be written. `first` is the number, from 1, that the model gives the first of them. */
export type Copied = { old: readonly string[]; now: readonly string[]; first?: number };
/** `ignores` says what was taken away, as the model is told. */
export type Mend = { ignores: string; undo(copied: Copied): Copied | undefined };

const NUMBER = /^\s*L?(\d+)(?:(\t|→)|:\s?|\s?\|\s?|$)/;

/** The numbers are those of lines that follow each other, and one alone stands as read_file writes it. */
function numbered(lines: readonly string[]): number | undefined {
  const found = lines.flatMap((line, index) => (line.trim() === '' ? [] : { index, match: NUMBER.exec(line) }));
  const [first] = found;
  if (!first?.match || (found.length === 1 && !first.match[2])) return undefined;
  const begin = Number(first.match[1]) - first.index;
  return found.every(({ index, match }) => match && Number(match[1]) === begin + index) ? begin : undefined;
}

const areNumbered = (lines: readonly string[]) =>
  lines.some((line) => line.trim() !== '') && lines.every((line) => line.trim() === '' || NUMBER.test(line));
const withoutNumbers = (lines: readonly string[]) => lines.map((line) => line.replace(NUMBER, ''));
const LITERAL_TABS = /^(?:\\t)+/;
const withTabs = (line: string) => line.replace(LITERAL_TABS, (tabs) => '\t'.repeat(tabs.length / 2));

export const MENDS: readonly Mend[] = [
  {
    ignores: 'line numbers',
    undo({ old, now }) {
      const first = numbered(old);
      // Where some new lines have numbers and others do not, what begins with one may be meant so.
      if (first === undefined || (!areNumbered(now) && now.some((line) => old.includes(line) && NUMBER.test(line)))) return undefined;
      return { old: withoutNumbers(old), now: areNumbered(now) ? withoutNumbers(now) : now, first };
    },
  },
  {
    ignores: 'the \\t that stands for a tab',
    undo({ old, now }) {
      return old.some((line) => LITERAL_TABS.test(line)) ? { old: old.map(withTabs), now: now.map(withTabs) } : undefined;
    },
  },
  {
    ignores: 'an empty line before it',
    undo({ old: [blank, ...old], now }) {
      if (blank === undefined || indentOf(blank) !== blank || old.every((line) => line.trim() === '')) return undefined;
      return { old, now: now[0] !== undefined && indentOf(now[0]) === now[0] ? now.slice(1) : now };
    },
  },
];
