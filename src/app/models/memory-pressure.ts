/** Reduces the limits of runs when the computer that also serves the model is short of memory, before it becomes unresponsive. */
import type { RunLimits } from '../../core/session/limits.ts';

export type Memory = { free: number; total: number };
export type PressureLevel = 'normal' | 'moderate' | 'critical';

/** The percentages of free memory below which the pressure is moderate or critical. 0 disables a level. */
export type PressureThresholds = { moderatePercent: number; criticalPercent: number };
export const DEFAULT_THRESHOLDS: PressureThresholds = { moderatePercent: 15, criticalPercent: 7 };

/** Returns `normal` if the memory is unknown. */
export function pressureOf(memory: Memory | undefined, thresholds: PressureThresholds = DEFAULT_THRESHOLDS): PressureLevel {
  if (!memory || !(memory.total > 0) || !(memory.free >= 0)) return 'normal';
  const percent = (memory.free / memory.total) * 100;
  if (percent < thresholds.criticalPercent) return 'critical';
  return percent < thresholds.moderatePercent ? 'moderate' : 'normal';
}

const SHARES: Record<PressureLevel, number> = { normal: 1, moderate: 0.5, critical: 0.25 };

/**
 * Reduces turns and calls, because each of them makes the context longer. The time limit stays, because a computer under pressure is slow.
 */
export function shrink(limits: RunLimits, level: PressureLevel): RunLimits {
  if (level === 'normal') return limits;
  const share = (count: number) => Math.max(1, Math.floor(count * SHARES[level]));
  return { ...limits, turns: share(limits.turns), callsPerTurn: share(limits.callsPerTurn), callsPerRun: share(limits.callsPerRun) };
}

/** Returns a sentence for the panel, or undefined if the pressure is normal. */
export function pressureNotice(memory: Memory | undefined, level: PressureLevel): string | undefined {
  if (level === 'normal' || !memory) return undefined;
  const gb = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  const degree = level === 'critical' ? 'critically low' : 'low';
  const smaller = level === 'critical' ? 'a quarter' : 'half';
  return `Memory is ${degree} (${gb(memory.free)} of ${gb(memory.total)} GB free), so this run pauses after ${smaller} of its usual turns and calls. Close other programs to free memory.`;
}

/** Returns true if a server runs on this computer and therefore uses its memory. */
export function isThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host === '0.0.0.0' || /^127(\.\d+){3}$/.test(host);
}
