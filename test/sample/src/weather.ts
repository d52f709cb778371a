import type { Minutes } from './time.ts';

export interface Wind {
  from: Minutes;
  /** Beaufort. */
  force: number;
}

const tooMuch = 8;

/** The wind that blows at a time: the last change before it. */
export function windAt(changes: Wind[], time: Minutes): number {
  return changes.filter((change) => change.from <= time).at(-1)?.force ?? 0;
}

export function isClosed(changes: Wind[], time: Minutes): boolean {
  return windAt(changes, time) >= tooMuch;
}
