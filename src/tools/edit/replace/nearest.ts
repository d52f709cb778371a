/**
 * Finds the passage of a text that is most similar to a missing one. It is only quoted in error messages; no edit depends on similarity.
 */
import type { Lines } from './lines.ts';
import { visible } from './slip-hints.ts';

const MAX_LINE = 200;
const MAX_WORDS = 50;
const MAX_PLACES = 20;
const MAX_COMPARED = 5;
/** The number of lines that may be missing or superfluous. */
const MAX_MOVED = 3;

/** Returns the index of the line where the passage would begin, or undefined when no line is similar. */
export function nearestStart(lines: Lines, passage: readonly string[]): number | undefined {
  return byLines(lines, passage) ?? byWords(lines, passage);
}

/** Formats lines like read_file, from the index `from` up to, but not including, `to`. */
export function numberedLines(lines: Lines, from: number, to: number): string {
  const texts: string[] = [];
  for (let index = Math.max(0, from); index < Math.min(to, lines.full); index++) {
    const line = lines.line(index);
    texts.push(`${index + 1}\t${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`);
  }
  return texts.join('\n');
}

const bare = (line: string) => visible(line).trim().toLowerCase();

/** Every line of the text that occurs in the passage votes for the start of the passage, weighted by its length. Case is ignored. */
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
  // A missing or superfluous line shifts the following lines and their votes.
  const moved = others.filter(([start]) => Math.abs(start - best[0]) <= MAX_MOVED);
  const nearlyAsGood = others.slice(0, MAX_COMPARED - 1).filter(([, vote]) => 2 * vote >= best[1]);
  // The start after which the most characters agree shows the difference best.
  const likely = [best, ...nearlyAsGood, ...moved].map(([start]) => ({
    start,
    same: sameFrom(lines, passage, start),
  }));
  return Math.max(0, likely.reduce((a, b) => (b.same > a.same ? b : a)).start);
}

/** Counts the equal characters from the beginning of the passage. Empty lines do not count, because they are often equal by chance. */
function sameFrom(lines: Lines, passage: readonly string[], start: number): number {
  const count = passage.findIndex((line, index) => bare(line) !== bare(lines.line(start + index)));
  return passage.slice(0, count < 0 ? passage.length : count).reduce((sum, line) => sum + bare(line).length, 0);
}

/** Finds the line that shares the most words with the longest line of the passage. */
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
