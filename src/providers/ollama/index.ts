import type { ModelAdapter, ModelRequest } from '../../core/model.ts';
import { checkConfig, exchange, plainError, serverOf } from '../http.ts';
import type { ProviderConfig } from '../types.ts';
import { createClient, settle } from './client.ts';
import { contextLengthOf, type ModelFacts, toRequest } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/** Facts about a model are worth a short wait only. */
const FACTS_MS = 5000;

/** A local Ollama, or its cloud. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const settled = settle(config);
  const server = serverOf('Ollama', settled);
  const known = new Map<string, ModelFacts>();

  const clientFor = (signal: AbortSignal) => createClient(settled, server, signal);

  /** Asked once, since another context size would make the server load the model again. */
  async function factsOf(model: string, signal: AbortSignal): Promise<ModelFacts> {
    const before = known.get(model);
    if (before) return before;
    const facts: ModelFacts = { ...(config.memoryBytes !== undefined && { memoryBytes: config.memoryBytes }) };
    try {
      const shown = await clientFor(AbortSignal.any([signal, AbortSignal.timeout(FACTS_MS)])).show({ model });
      const contextLength = contextLengthOf(shown);
      if (contextLength !== undefined) facts.contextLength = contextLength;
      facts.thinks = shown.capabilities?.includes('thinking') ?? false;
    } catch (error) {
      signal.throwIfAborted();
      // Nobody there. All else is left to the request itself: it will tell what is wrong, if anything is.
      if (error instanceof TypeError) throw error;
    }
    known.set(model, facts);
    return facts;
  }

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Ollama', settled);
    return await clientFor(signal).chat(toRequest(request, await factsOf(request.model, signal)));
  }

  return {
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        (lines) => toModelEvents(lines, server),
        (error) => plainError(server, error),
      ),
  };
}
