/** What a copied passage often has that the text has not. It is only told, for the next try; nothing is ever changed by it. Pure. */
import type { Lines } from './lines.ts';
import { placesOf } from './match.ts';

const NUMBER = /^\s*L?\d+(?:\t|→|:\s?|\s?\|\s?|$)/;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' };
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'" };

/** `undo` gives the passage without the slip, or the passage itself. */
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
    hint: 'Write line breaks, tabs and quotes as such, not escaped by \\.',
    undo: (passage) => passage.replace(/\\([ntr"'\\])/g, (_, letter: string) => ESCAPED[letter] ?? ''),
  },
  {
    hint: 'Write <, >, & and quotes as such, not as entities.',
    undo: (passage) => passage.replace(/&(lt|gt|amp|quot|apos|#39);/g, (_, name: string) => ENTITIES[name] ?? ''),
  },
];

/** A hint where it is plain what went wrong, and the passage without that. */
export function slipIn(lines: Lines, passage: string): { hint: string; passage: string } | undefined {
  for (const { hint, undo } of SLIPS) {
    const undone = undo(passage);
    if (undone !== passage && placesOf(lines, undone).length > 0) return { hint, passage: undone };
  }
  // As read_file shows lines.
  if (/^[ \t]*\d+\t/m.test(passage)) {
    const undone = NUMBERS.undo(passage);
    if (undone !== passage) return { hint: NUMBERS.hint, passage: undone };
  }
  if (!lines.text.includes(passage) && visible(lines.text).includes(visible(passage)))
    return { hint: 'They differ in characters that cannot be seen. Choose a passage without them.', passage };
  return undefined;
}

/** What can be seen of a text, one form for each letter. */
export function visible(text: string): string {
  return text.normalize('NFC').replace(/\p{Cf}/gu, '');
}
