import type { ModelAdapter, ModelError, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { failureError, failureOf, plainError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { formOf, RequestBodies } from '../request-body.ts';
import { checkConfig, type Server, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { connectionFor, createClient, withDefaultUrl } from './client.ts';
import { contextLengthOf, type ModelFacts, toMessages, toRequest } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/** The time limit for requesting facts about a model, in milliseconds. */
const FACTS_MS = 5000;

/** The SDK throws a plain Error without a cause for messages from the server; network errors have a cause. */
function explain(server: Server, error: unknown): ModelError {
  const isServerMessage = error instanceof Error && error.constructor === Error && error.cause === undefined;
  return isServerMessage ? failureError(server, failureOf(error.message)) : plainError(server, error);
}

/** Creates the adapter for a local Ollama server or the Ollama cloud service. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const resolvedConfig = withDefaultUrl(config);
  const server = serverOf('Ollama', resolvedConfig);
  const factsByModel = new Map<string, ModelFacts>();
  const bodies = new RequestBodies();
  const send = connectionFor(resolvedConfig, server);

  const clientFor = (signal: AbortSignal, body?: Uint8Array<ArrayBuffer>) => createClient(resolvedConfig, server, signal, send, body);

  /** Requests the facts only once per model, because a changed context size would make the server reload the model. */
  async function factsOf(model: string, signal: AbortSignal): Promise<ModelFacts> {
    const before = factsByModel.get(model);
    if (before) return before;
    const facts: ModelFacts = { ...(config.memoryBytes !== undefined && { memoryBytes: config.memoryBytes }) };
    try {
      const modelDetails = await clientFor(AbortSignal.any([signal, AbortSignal.timeout(FACTS_MS)])).show({ model });
      const contextLength = contextLengthOf(modelDetails);
      if (contextLength !== undefined) facts.contextLength = contextLength;
      facts.thinks = modelDetails.capabilities?.includes('thinking') ?? false;
    } catch (error) {
      signal.throwIfAborted();
      // A TypeError means that no server answered. Other failures are ignored, since the chat request will report them.
      if (error instanceof TypeError) throw error;
    }
    factsByModel.set(model, facts);
    return facts;
  }

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Ollama', resolvedConfig);
    const { model } = request;
    const facts = await factsOf(model, signal);
    const body = bodies.of(request, facts, () =>
      formOf(toRequest({ ...request, messages: [] }, facts), (message) => toMessages(message, model)),
    );
    return await clientFor(signal, body).chat({ model, stream: true });
  }

  return {
    silenceMs: silenceOf(resolvedConfig, true),
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        () => toModelEvents(server),
        (error) => explain(server, error),
      ),
  };
}
