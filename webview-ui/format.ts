export { dollars, tokens } from '../src/core/words/amounts.ts';
export { shortTime, timeText } from '../src/core/words/dates.ts';

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Formats a duration: 42 ms, 0.3 s, 12 s, 2 min 5 s. */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Splits a path, so that the name stays visible when the folder is shortened to fit. */
export function splitPath(path: string): { folder: string; name: string } {
  const cut = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, cut), name: path.slice(cut) };
}

export function prettyJson(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
