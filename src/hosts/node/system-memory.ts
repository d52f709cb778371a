import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Memory } from '../../app/models/memory-pressure.ts';

/**
 * Returns free and total memory in bytes. On Linux and macOS, free memory includes caches that the system can reclaim, because they often
 * fill most of the memory. Returns undefined if macOS does not report its memory.
 */
export async function readMemory(): Promise<Memory | undefined> {
  if (process.platform === 'darwin') {
    const level = await promisify(execFile)('/usr/sbin/sysctl', ['-n', 'kern.memorystatus_level'], { timeout: 2_000 }).catch(
      () => undefined,
    );
    return parseLevel(level?.stdout ?? '', totalmem());
  }
  const table = process.platform === 'linux' ? await readFile('/proc/meminfo', 'utf8').catch(() => '') : '';
  return parseMeminfo(table) ?? { free: freemem(), total: totalmem() };
}

/** Parses the kernel's measure: the percentage of memory that is free or can be reclaimed. */
export function parseLevel(text: string, total: number): Memory | undefined {
  const percent = Number.parseInt(text, 10);
  return percent >= 0 && percent <= 100 ? { free: (total * percent) / 100, total } : undefined;
}

export function parseMeminfo(table: string): Memory | undefined {
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(table)?.[1] ?? Number.NaN) * 1024;
  const [free, total] = [bytes('MemAvailable'), bytes('MemTotal')];
  return Number.isNaN(free) || Number.isNaN(total) ? undefined : { free, total };
}
