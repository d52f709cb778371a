/** The passage of a text that is most like one that is not in it. It is only shown; nothing is ever changed by likeness. Pure. */
import type { Lines } from './lines.ts';
import { visible } from './slip-hints.ts';

const MAX_LINE = 200;
const MAX_WORDS = 50;
const MAX_PLACES = 20;
const MAX_COMPARED = 5;
/** How many lines may be missing, or too many. */
const MAX_MOVED = 3;

/** The index of the line where the passage would begin; undefined where no line is like it. */
export function nearestStart(lines: Lines, passage: readonly string[]): number | undefined {
  return byLines(lines, passage) ?? byWords(lines, passage);
}

/** Lines as read_file shows them, from the index `from` up to the one before `to`. */
export function numbered(lines: Lines, from: number, to: number): string {
  const shown: string[] = [];
  for (let index = Math.max(0, from); index < Math.min(to, lines.full); index++) {
    const line = lines.line(index);
    shown.push(`${index + 1}\t${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`);
  }
  return shown.join('\n');
}

const bare = (line: string) => visible(line).trim().toLowerCase();

/** Every line that is in both, blanks and case aside, votes for where the passage would begin; the longer, the louder. */
function byLines(lines: Lines, passage: readonly string[]): number | undefined {
  const wanted = new Map<string, number[]>();
  for (const [index, line] of passage.entries()) {
    const key = bare(line);
    if (key.length <= 2) continue;
    const places = wanted.get(key) ?? [];
    // A line that occurs very often does not help to locate the passage.
    if (places.length < MAX_PLACES) wanted.set(key, [...places, index]);
  }
  const votes = new Map<number, number>();
  for (const [index, key] of lines.folded(bare).entries()) {
    for (const offset of wanted.get(key) ?? []) votes.set(index - offset, (votes.get(index - offset) ?? 0) + key.length);
  }
  const [best, ...others] = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (!best) return undefined;
  // A line that is missing or too many moves all that follow it, and their votes.
  const moved = others.filter(([start]) => Math.abs(start - best[0]) <= MAX_MOVED);
  const nearlyAsGood = others.slice(0, MAX_COMPARED - 1).filter(([, vote]) => 2 * vote >= best[1]);
  // The place that agrees the longest from its beginning shows the difference best.
  const likely = [best, ...nearlyAsGood, ...moved].map(([start]) => ({
    start,
    same: sameFrom(lines, passage, start),
  }));
  return Math.max(0, likely.reduce((a, b) => (b.same > a.same ? b : a)).start);
}

/** How much is the same from the beginning of the passage on; empty lines are the same by chance. */
function sameFrom(lines: Lines, passage: readonly string[], start: number): number {
  const count = passage.findIndex((line, index) => bare(line) !== bare(lines.line(start + index)));
  return passage.slice(0, count < 0 ? passage.length : count).reduce((sum, line) => sum + bare(line).length, 0);
}

/** The line that shares the most of the words of the passage's longest line. */
function byWords(lines: Lines, passage: readonly string[]): number | undefined {
  const longest = passage.reduce((best, line) => (bare(line).length > bare(best).length ? line : best), '');
  const words = new Set(wordsOf(longest));
  if (words.size === 0) return undefined;
  let best: { index: number; score: number } | undefined;
  for (let index = 0; index < lines.count; index++) {
    const line = lines.line(index);
    if (line.length > 10_000) continue;
    const shared = new Set(wordsOf(line).filter((word) => words.has(word)));
    let score = 0;
    for (const word of shared) score += word.length;
    if (score > (best?.score ?? 1)) best = { index, score };
  }
  return best && Math.max(0, best.index - passage.indexOf(longest));
}

function wordsOf(line: string): string[] {
  return (
    visible(line)
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? []
  ).slice(0, MAX_WORDS);
}
