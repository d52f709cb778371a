import type { Mode } from '../core/session/events.ts';
import type { Limits } from '../core/session/limits.ts';

/** The limits at which a run pauses and asks the user, unless the user has set others. */
export const DEFAULT_LIMITS: Record<Mode, Limits> = {
  ask: { turns: 15, callsPerTurn: 16, callsPerRun: 100, minutes: 10 },
  plan: { turns: 20, callsPerTurn: 16, callsPerRun: 150, minutes: 15 },
  agent: { turns: 60, callsPerTurn: 32, callsPerRun: 500, minutes: 60 },
};

/** The maximum size of the memory in a conversation, in tokens, unless the user has set another. */
export const DEFAULT_MEMORY_TOKENS = 800;

/** A smaller part of a context window has no space for the instructions, the tools and a conversation. */
export const MIN_CONTEXT_TOKENS = 4_000;
