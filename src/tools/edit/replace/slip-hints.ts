/** Detects common copying mistakes in a passage that was not found. They are only reported as hints; the passage itself is not changed. */
import type { Lines } from './lines.ts';
import { placesOf } from './match.ts';

const NUMBER = /^\s*L?\d+(?:\t|→|:\s?|\s?\|\s?|$)/;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' };
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'" };

/** `undo` returns the passage without the mistake, or the same passage when it does not contain it. */
type Slip = { hint: string; undo(passage: string): string };

const NUMBERS: Slip = {
  hint: 'Leave out the line numbers.',
  undo(passage) {
    const lines = passage.split('\n');
    if (!lines.every((line) => line.trim() === '' || NUMBER.test(line))) return passage;
    return lines.map((line) => line.replace(NUMBER, '')).join('\n');
  },
};

const SLIPS: readonly Slip[] = [
  NUMBERS,
  { hint: 'Leave out the code fence.', undo: (passage) => passage.replace(/^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/, '$1') },
  {
    hint: 'Write line breaks, tabs and quotes without escaping them with \\.',
    undo: (passage) => passage.replace(/\\([ntr"'\\])/g, (_, letter: string) => ESCAPED[letter] ?? ''),
  },
  {
    hint: 'Write <, >, & and quotes as characters, not as entities.',
    undo: (passage) => passage.replace(/&(lt|gt|amp|quot|apos|#39);/g, (_, name: string) => ENTITIES[name] ?? ''),
  },
];

/** Returns a hint and the corrected passage when the cause of the mismatch is certain. */
export function slipIn(lines: Lines, passage: string): { hint: string; passage: string } | undefined {
  for (const { hint, undo } of SLIPS) {
    const undone = undo(passage);
    if (undone !== passage && placesOf(lines, undone).length > 0) return { hint, passage: undone };
  }
  // Matches the line format of read_file.
  if (/^[ \t]*\d+\t/m.test(passage)) {
    const undone = NUMBERS.undo(passage);
    if (undone !== passage) return { hint: NUMBERS.hint, passage: undone };
  }
  if (!lines.text.includes(passage) && visible(lines.text).includes(visible(passage)))
    return { hint: 'The texts differ only in invisible characters. Choose a passage without invisible characters.', passage };
  return undefined;
}

/** Drops invisible characters and normalizes accents, so that texts which look the same compare as equal. */
export function visible(text: string): string {
  return text.normalize('NFC').replace(/\p{Cf}/gu, '');
}
