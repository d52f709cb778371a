import { hour, type Minutes } from './time.ts';

export interface Tide {
  /** Metres, halfway between low and high water. */
  mean: number;
  /** Metres between the mean and high water. */
  range: number;
  highWater: Minutes;
}

/** From one high water to the next. */
export const period: Minutes = 12 * hour + 25;

export function calc(tide: Tide, time: Minutes): number {
  const phase = (2 * Math.PI * (time - tide.highWater)) / period;
  return tide.mean + tide.range * Math.cos(phase);
}

/** The first minute, from `from` on, at which the water is at least `height` high; undefined when it never is. */
export function nextTimeAbove(tide: Tide, height: number, from: Minutes): Minutes | undefined {
  for (let time = from; time < from + period; time++) {
    if (calc(tide, time) >= height) return time;
  }
  return undefined;
}
