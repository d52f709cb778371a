/** Converts changed lines to exact edits: passages that occur only once in the file. */

import { escapeRegex } from '../core/escape-regex.ts';

export type Edit = { old_text: string; new_text: string; all?: boolean };
type Range = { from: number; to: number };

/**
 * Returns a function that renames whole identifiers. `$` is part of a name in languages that allow it, and `-` if one of the names contains
 * it.
 */
export function renamer(from: string, to: string): (line: string, path: string) => string {
  const dash = from.includes('-') || to.includes('-') ? '-' : '';
  const around = (extra: string) => new RegExp(`(?<![\\p{L}\\p{N}_${extra}])${escapeRegex(from)}(?![\\p{L}\\p{N}_${extra}])`, 'gu');
  const [plain, dollar] = [around(dash), around(`$${dash}`)];
  return (line, path) => line.replace(/\.(?:[cm]?[jt]sx?|vue|svelte|java)$/i.test(path) ? dollar : plain, () => to);
}

/**
 * Creates an edit for each changed line. A line that occurs once is replaced as a whole. A line that occurs several times, always as a
 * whole line to be changed, is replaced with `all`. Otherwise the edit includes enough surrounding lines to be unique. Lines in `cut` are
 * incomplete, so they cannot be part of an edit, and changes that need them are omitted.
 */
export function exactEdits(lines: readonly string[], changed: ReadonlyMap<number, string>, cut: ReadonlySet<number> = new Set()): Edit[] {
  const text = lines.join('\n');
  const alike = new Map<string, number[]>();
  for (const index of [...changed.keys()].filter((each) => !cut.has(each))) {
    const line = lines[index] as string;
    alike.set(line, [...(alike.get(line) ?? []), index]);
  }
  const passages = (indexes: readonly number[]) => joined(indexes.flatMap((index) => unique(lines, text, index, cut) ?? []));
  const isWhole = ([line, at]: [string, number[]]) => occurrences(text, line, at.length + 1) === at.length;
  const groups = [...alike].filter(isWhole).map(([, at]) => at);
  const ranges = passages([...alike].filter((each) => !isWhole(each)).flatMap(([, at]) => at));
  const covered = (index: number) => ranges.some(({ from, to }) => from <= index && index <= to);
  const free = groups.filter((at) => !at.some(covered));
  // A passage that includes one line of a group would overlap the edit of the whole group, so each line gets its own passage.
  const split = groups.filter((at) => at.some(covered) && !at.every(covered)).length > 0;
  const all = split
    ? passages([...alike.values()].flat())
    : joined([...ranges, ...free.map(([first = 0]) => ({ from: first, to: first }))]);
  const repeated = new Set(split ? [] : free.filter((at) => at.length > 1).map(([first]) => first));
  return all.map(({ from, to }) => {
    const old = lines.slice(from, to + 1);
    const now = old.map((line, step) => changed.get(from + step) ?? line);
    return { old_text: old.join('\n'), new_text: now.join('\n'), ...(repeated.has(from) && { all: true }) };
  });
}

/** Returns the smallest passage that contains a line and occurs only once in the file. */
function unique(lines: readonly string[], text: string, index: number, cut: ReadonlySet<number>): Range | undefined {
  const range = { from: index, to: index };
  const usable = (at: number) => at >= 0 && at < lines.length && !cut.has(at);
  for (let down = true; ; down = !down) {
    if (occurrences(text, lines.slice(range.from, range.to + 1).join('\n'), 2) === 1) return range;
    const [below, above] = [usable(range.to + 1), usable(range.from - 1)];
    if (!below && !above) return undefined;
    if ((down && below) || !above) range.to += 1;
    else range.from -= 1;
  }
}

function joined(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else out.push({ ...range });
  }
  return out;
}

/** Counts occurrences of `part`, including overlapping ones, up to `most`. */
export function occurrences(text: string, part: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count < most && part !== ''; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}
