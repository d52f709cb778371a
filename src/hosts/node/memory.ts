import { readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';

/** Bytes. On Linux what programs can still get, which is far more than what is unused: files that are kept in memory give way. */
export async function readMemory(): Promise<{ free: number; total: number }> {
  const table = process.platform === 'linux' ? await readFile('/proc/meminfo', 'utf8').catch(() => '') : '';
  return parseMeminfo(table) ?? { free: freemem(), total: totalmem() };
}

export function parseMeminfo(table: string): { free: number; total: number } | undefined {
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(table)?.[1] ?? Number.NaN) * 1024;
  const [free, total] = [bytes('MemAvailable'), bytes('MemTotal')];
  return Number.isNaN(free) || Number.isNaN(total) ? undefined : { free, total };
}
