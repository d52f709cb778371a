/** The mode and the limits that an agent leaves of a run. */
import { MODES, type Mode } from '../core/session/events.ts';
import type { RunLimits, SessionLimits } from '../core/session/limits.ts';

/** Returns the lower of two modes. `MODES` lists them from the lowest to the highest. */
export function lowerMode(mode: Mode, most: Mode | undefined): Mode {
  return most && MODES.indexOf(most) < MODES.indexOf(mode) ? most : mode;
}

/** Returns the lower of each limit. */
export function narrowLimits(limits: RunLimits, most: SessionLimits | undefined): RunLimits {
  const lower: RunLimits = { ...limits };
  for (const [key, value] of Object.entries(most ?? {}) as [keyof SessionLimits, number][])
    lower[key] = Math.min(limits[key] ?? Number.POSITIVE_INFINITY, value);
  return lower;
}
