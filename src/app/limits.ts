import type { Mode } from '../core/session/events.ts';
import type { Limits, RunLimits } from '../core/session/limits.ts';
import type { SessionState } from '../core/session/session-state.ts';
import type { Settings } from './ports.ts';

/** The default limits at which a run pauses and asks the user. */
export const DEFAULT_LIMITS: Record<Mode, Limits> = {
  ask: { turns: 60, callsPerTurn: 32, callsPerRun: 600, minutes: 60 },
  plan: { turns: 60, callsPerTurn: 32, callsPerRun: 600, minutes: 60 },
  agent: { turns: 250, callsPerTurn: 64, callsPerRun: 4000, minutes: 240 },
};

/** Returns the limits that apply to a run now. Session limits replace the limits in the settings, and run limits replace both. */
export function runLimits(settings: Settings, mode: Mode, { limits }: Pick<SessionState, 'limits'>): RunLimits {
  return { ...settings.limits(mode), ...settings.budgets?.().run, ...limits, ...settings.runLimits };
}

/** The default maximum size of the memory in a conversation, in tokens. */
export const DEFAULT_MEMORY_TOKENS = 800;

/** A smaller part of a context window has no space for the instructions, the tools and a conversation. */
export const MIN_CONTEXT_TOKENS = 4_000;

/** The smallest context window, in tokens, that is suitable for most tasks. */
export const SMALLEST_CONTEXT = 8192;
