/** A machine that serves the model itself has to share its memory: when that runs short, runs get smaller before the machine stands still. */
import type { Limits } from '../../core/session/limits.ts';

export type Memory = { free: number; total: number };
export type PressureLevel = 'normal' | 'moderate' | 'critical';

/** Settings: below these shares of free memory, in percent, the pressure is moderate or critical. 0 turns a level off. */
export type PressureThresholds = { moderatePercent: number; criticalPercent: number };
export const DEFAULT_THRESHOLDS: PressureThresholds = { moderatePercent: 15, criticalPercent: 7 };

/** Unknown memory is no pressure. */
export function pressureOf(memory: Memory | undefined, thresholds: PressureThresholds = DEFAULT_THRESHOLDS): PressureLevel {
  if (!memory || !(memory.total > 0) || !(memory.free >= 0)) return 'normal';
  const percent = (memory.free / memory.total) * 100;
  if (percent < thresholds.criticalPercent) return 'critical';
  return percent < thresholds.moderatePercent ? 'moderate' : 'normal';
}

const SHARES: Record<PressureLevel, number> = { normal: 1, moderate: 0.5, critical: 0.25 };

/** Fewer turns and calls, for each makes the context longer. The time stays: a machine under pressure is slow. */
export function shrink(limits: Limits, level: PressureLevel): Limits {
  if (level === 'normal') return limits;
  const share = (count: number) => Math.max(1, Math.floor(count * SHARES[level]));
  return { ...limits, turns: share(limits.turns), callsPerTurn: share(limits.callsPerTurn), callsPerRun: share(limits.callsPerRun) };
}

/** One sentence for the panel; nothing while all is well. */
export function pressureNotice(memory: Memory | undefined, level: PressureLevel): string | undefined {
  if (level === 'normal' || !memory) return undefined;
  const gb = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  const degree = level === 'critical' ? 'critically low' : 'low';
  const smaller = level === 'critical' ? 'a quarter' : 'half';
  return `Memory is ${degree} (${gb(memory.free)} of ${gb(memory.total)} GB free), so this run stops and asks after ${smaller} of its usual turns and calls.`;
}

/** Whether a server runs on this machine, so that this machine's memory is its memory. */
export function isThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host === '0.0.0.0' || /^127(\.\d+){3}$/.test(host);
}
