import type { OpenAI } from 'openai/client';
import { APIError } from 'openai/core/error';
import type { ModelAdapter, ModelRequest } from '../../core/model.ts';
import { exchange } from '../exchange.ts';
import { checkConfig, LOCAL_FIRST_BYTE_MS, sdkError, serverOf } from '../http.ts';
import { createClient } from '../openai/client.ts';
import type { ProviderConfig } from '../types.ts';
import { dialectOf, toBody } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

const OPTIONAL = ['stream_options', 'prompt_cache_key', 'reasoning_effort', 'temperature'];

/** Chat Completions, at whatever address speaks it: OpenRouter, Groq, DeepSeek, Mistral, llama.cpp, vLLM, LM Studio ... */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const { label = 'The chat server', id } = config.provider ?? {};
  const server = serverOf(label, config);
  const without: string[] = [];
  let client: OpenAI | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig(label, config);
    client ??= createClient(config, server, LOCAL_FIRST_BYTE_MS);
    for (;;) {
      const body = toBody(request, { ...dialectOf(config.baseUrl), without, ...(id && { provider: id }) });
      try {
        return await client.post<AsyncIterable<unknown>>('/chat/completions', { body, signal, stream: true });
      } catch (error) {
        const refused = refusedField(error, Object.keys(body));
        if (!refused) throw error;
        without.push(refused);
      }
    }
  }

  return {
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        () => toModelEvents(server),
        (error) => sdkError(server, error),
      ),
  };
}

/** An optional field that the server names when it refuses the request: the request goes out again without it. */
function refusedField(error: unknown, sent: readonly string[]): string | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const told = JSON.stringify(error.error ?? error.message);
  return OPTIONAL.find((name) => sent.includes(name) && told.includes(name));
}
