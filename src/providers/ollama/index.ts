import type { ModelAdapter, ModelError, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { failureError, failureOf, plainError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { checkConfig, type Server, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { createClient, withBaseUrl } from './client.ts';
import { contextLengthOf, type ModelFacts, toRequest } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/** Facts about a model are worth a short wait only. */
const FACTS_MS = 5000;

/** What the server says is wrong comes as a bare error from the SDK; those of the network have causes. */
function explain(server: Server, error: unknown): ModelError {
  const told = error instanceof Error && error.constructor === Error && error.cause === undefined;
  return told ? failureError(server, failureOf(error.message)) : plainError(server, error);
}

/** A local Ollama, or its cloud. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const resolved = withBaseUrl(config);
  const server = serverOf('Ollama', resolved);
  const known = new Map<string, ModelFacts>();

  const clientFor = (signal: AbortSignal) => createClient(resolved, server, signal);

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
    checkConfig('Ollama', resolved);
    return await clientFor(signal).chat(toRequest(request, await factsOf(request.model, signal)));
  }

  return {
    silenceMs: silenceOf(resolved, true),
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        () => toModelEvents(server),
        (error) => explain(server, error),
      ),
  };
}
