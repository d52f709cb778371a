/** Compares the places that an answer cites with what was read. A cited place that was not read is removed from the answer. */
import { type CheckedAnswer, REMOVED } from './checked-answer.ts';
import type { Evidence } from './workspace-evidence.ts';

/** `lines` are ranges such as `3-9, 20`. The field is missing for a file that has no lines, such as an image. */
export type Source = { path: string; lines?: string };

const MAX_SOURCES = 30;

/** Matches text that looks like a path: it has a folder, an extension, or one of the usual names without an extension. */
const PATH = String.raw`(?:\.{0,2}\/)?(?:[\w.@+~-]+\/)*(?:[\w@+~.-]*\.[A-Za-z]\w*|[A-Za-z]+file|LICENSE|README)|(?:[\w.@+~-]+\/)+[\w.@+~-]+`;
const LINES = String.raw`(?::(\d+(?:[-–]\d+)?(?:,\d+(?:[-–]\d+)?)*)|#L(\d+(?:-L?\d+)?))`;
/** Names of hosts, whose ports look like line numbers. */
const HOST = /^[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev|local|test|internal|localhost)$/i;

export function checkCitations(text: string, evidence: Evidence): CheckedAnswer<Source> {
  const cited = new Map<string, Set<number>>();
  const dropped: string[] = [];
  const check = (place: string, name: string, ranges: string): string => {
    const path = pathOf(name, evidence);
    if (path === undefined && HOST.test(name)) return place;
    const read = path === undefined ? undefined : evidence.get(path);
    const lines = numbersIn(ranges, read ?? new Set());
    if (path === undefined || lines.length === 0) {
      dropped.push(place);
      return REMOVED;
    }
    const all = cited.get(path) ?? new Set();
    for (const line of lines) all.add(line);
    cited.set(path, all);
    return place;
  };
  // Paths with spaces and other unusual characters are recognized only if they were read.
  const known = [...evidence.keys()].toSorted((a, b) => b.length - a.length).map((path) => `${escaped(path)}|`);
  const places = new RegExp(`(?<![\\w/.@:+~-])(${known.join('')}${PATH})${LINES}(?!\\w)`, 'g');
  const answer = text.replace(places, (place, name: string, byColon?: string, byHash?: string) =>
    check(place, name, byColon ?? byHash ?? ''),
  );
  for (const [path, lines] of evidence) if (!cited.has(path) && isNamed(path, answer)) cited.set(path, new Set(lines));
  const sources = [...cited].slice(0, MAX_SOURCES).map(([path, lines]) => ({ path, ...(lines.size > 0 && { lines: rangesOf(lines) }) }));
  return { answer, sources, dropped };
}

/**
 * Returns the path that was read and that a name in an answer stands for. A name may leave out the first folders if it stays unique, and may
 * be absolute. Further folders before a relative path make it another file.
 */
function pathOf(name: string, evidence: Evidence): string | undefined {
  const plain = name.replace(/^(\.\/)+/, '');
  if (evidence.has(plain)) return plain;
  const ends = [...evidence.keys()].filter((path) => path.endsWith(`/${plain}`) || (plain.startsWith('/') && plain.endsWith(`/${path}`)));
  return ends.length === 1 ? ends[0] : undefined;
}

function isNamed(path: string, text: string): boolean {
  return new RegExp(`(?<![\\w/.-])${escaped(path)}(?![\\w/-])`).test(text);
}

/** Returns the cited lines that were read. */
function numbersIn(ranges: string, read: ReadonlySet<number>): number[] {
  const wanted = ranges.split(',').map((range) => {
    const [from = '', to = from] = range.split(/[-–]L?/);
    return [Number(from), Number(to)] as const;
  });
  return [...read].filter((line) => wanted.some(([from, to]) => line >= from && line <= to));
}

/** Formats line numbers as ranges: `3-9, 20`. */
function rangesOf(lines: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
