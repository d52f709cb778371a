import type { Harbour } from './harbour.ts';
import { calc, type Tide } from './tide.ts';
import { day, hour } from './time.ts';

/** A line an hour, one mark for every half metre of water. */
export function tideChart(tide: Tide): string {
  const lines: string[] = [];
  for (let time = 0; time < day; time += 2 * hour) {
    lines.push(`${String(time).padStart(5)} ${'~'.repeat(Math.round(calc(tide, time) * 2))}`);
  }
  return lines.join('\n');
}

export function dayReport(harbour: Harbour): string {
  const lines = harbour.log.map(({ time, text, water }) => `${String(time).padStart(5)}  ${water.toFixed(1)} m  ${text}`);
  return [...lines, '', `Still waiting: ${harbour.waiting}. Income: ${harbour.income}.`].join('\n');
}
