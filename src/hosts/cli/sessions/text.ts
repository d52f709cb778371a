/** Formats sizes, times and states of sessions. */
import type { SessionStatus } from '../../../core/session/summary.ts';

/** Formats a number of bytes: 950 B, 12 KB, 1.2 MB. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats a time in the local time zone: 2026-11-23 09:15. */
export function timeText(at: number): string {
  return new Date(at).toLocaleString('sv').slice(0, 16);
}

export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

export const STATUS: Record<SessionStatus, string> = {
  running: 'running',
  waiting: 'waiting for you',
  paused: 'paused',
  failed: 'failed',
  done: 'done',
};
