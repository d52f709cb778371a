import { Ollama } from 'ollama/browser';
import type { ModelAdapter, ModelRequest } from '../../core/model.ts';
import { checkConfig, checkedFetch, exchange, LOCAL_FIRST_BYTE_MS, plainError, serverOf } from '../http.ts';
import type { ProviderConfig } from '../types.ts';
import { type ModelFacts, toRequest } from './convert.ts';
import { checkedLines, toModelEvents } from './stream.ts';

const DEFAULT_URL = 'http://127.0.0.1:11434';
/** Facts about a model are worth a short wait only. */
const FACTS_MS = 5000;

/** A local Ollama, or its cloud. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const baseUrl = config.baseUrl?.replace(/\/(v1|api)\/?$/, '') || DEFAULT_URL;
  const server = serverOf('Ollama', { ...config, baseUrl });
  const send = checkedFetch(server, LOCAL_FIRST_BYTE_MS);
  const known = new Map<string, ModelFacts>();

  /** The SDK knows no signal, and would take a key from the environment: both are settled in the `fetch` that it is given. */
  function clientFor(signal: AbortSignal): Ollama {
    const key = config.apiKey?.trim();
    const headers = { 'User-Agent': 'Kedge', ...(key ? { Authorization: `Bearer ${key}` } : {}), ...config.headers };
    const fetchWith: typeof fetch = async (input, init) => {
      const signals = init?.signal ? [init.signal, signal] : [signal];
      const content = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' };
      const response = await send(input, { ...init, headers: { ...content, ...headers }, signal: AbortSignal.any(signals) });
      if (!String(input).endsWith('/api/chat') || !response.body) return response;
      return new Response(response.body.pipeThrough(checkedLines(server)), response);
    };
    return new Ollama({ host: baseUrl, fetch: fetchWith });
  }

  /** Asked once, since another context size would make the server load the model again. */
  async function factsOf(model: string, signal: AbortSignal): Promise<ModelFacts> {
    const before = known.get(model);
    if (before) return before;
    const facts: ModelFacts = {};
    try {
      const shown = await clientFor(AbortSignal.any([signal, AbortSignal.timeout(FACTS_MS)])).show({ model });
      const info = Object.entries(shown.model_info as unknown as Record<string, unknown>);
      const length = info.find(([name]) => name.endsWith('.context_length'))?.[1];
      if (typeof length === 'number') facts.contextLength = length;
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
    checkConfig('Ollama', { ...config, baseUrl });
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
