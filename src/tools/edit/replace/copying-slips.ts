/**
 * Undoes copying mistakes whose correction is unambiguous. This is tried only for a passage that the file does not contain as the model
 * sent it.
 */
import { indentOf } from './match.ts';

/** The lines to find and the lines to write. `first` is the line number, from 1, that the model copied with the first line. */
export type CopiedPassage = { old: readonly string[]; now: readonly string[]; first?: number };
/** `ignores` names the mistake in the tool result. `undo` returns undefined when the passage does not contain the mistake. */
export type Mend = { ignores: string; undo(copied: CopiedPassage): CopiedPassage | undefined };

const NUMBER = /^\s*L?(\d+)(?:(\t|→)|:\s?|\s?\|\s?|$)/;

/**
 * Returns the number of the first line when all lines are numbered consecutively. A single number must be formatted as read_file formats
 * it.
 */
function firstNumber(lines: readonly string[]): number | undefined {
  const numberedEntries = lines.flatMap((line, index) => (line.trim() === '' ? [] : { index, match: NUMBER.exec(line) }));
  const [first] = numberedEntries;
  if (!first?.match || (numberedEntries.length === 1 && !first.match[2])) return undefined;
  const begin = Number(first.match[1]) - first.index;
  return numberedEntries.every(({ index, match }) => match && Number(match[1]) === begin + index) ? begin : undefined;
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
      const first = firstNumber(old);
      const copied = new Set(old);
      // When only some of the new lines have numbers, a number may be part of the code.
      if (first === undefined || (!areNumbered(now) && now.some((line) => copied.has(line) && NUMBER.test(line)))) return undefined;
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
    ignores: 'an empty line before the passage',
    undo({ old: [blank, ...old], now }) {
      if (blank === undefined || indentOf(blank) !== blank || old.every((line) => line.trim() === '')) return undefined;
      return { old, now: now[0] !== undefined && indentOf(now[0]) === now[0] ? now.slice(1) : now };
    },
  },
];
