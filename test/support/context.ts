import type { ExecuteContext } from '../../src/core/run/tool.ts';

/** For a tool that is executed without a run around it: nobody listens, and nobody can be asked. */
export function executeContext(signal = new AbortController().signal): ExecuteContext {
  return {
    callId: crypto.randomUUID(),
    signal,
    progress: () => undefined,
    record: () => undefined,
    ask: () => Promise.reject(new Error('Nobody can be asked here.')),
  };
}
