import type { ExecuteContext } from '../../src/core/run/tool.ts';

/** Returns the context for executing a tool without a run: progress is ignored, and questions cannot be answered. */
export function executeContext(signal = new AbortController().signal): ExecuteContext {
  return {
    callId: crypto.randomUUID(),
    signal,
    progress: () => undefined,
    record: () => undefined,
    ask: () => Promise.reject(new Error('The user cannot be asked here.')),
  };
}
