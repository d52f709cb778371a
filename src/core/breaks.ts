/** Divides long work into slices, so that the editor is never blocked for long. */
import type { List } from './list.ts';

/** The duration of a slice in milliseconds. */
const WORK_MS = 20;
/** The number of entries that are read at once. */
const PIECE = 64;

/** Returns a function that lets other work be done if the last break was some time ago. */
export function breaks(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < WORK_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  };
}

/** Reads all entries that a list has now. */
export async function readInSlices<T>(list: List<T>): Promise<T[]> {
  const pause = breaks();
  const all: T[] = [];
  for (const { length } = list; all.length < length; await pause()) {
    const read = list.slice(all.length, Math.min(length, all.length + PIECE));
    for (const each of read) all.push(each);
    if (read.length === 0) break;
  }
  return all;
}
