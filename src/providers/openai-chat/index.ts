import type { OpenAI } from 'openai/client';
import type { ModelAdapter, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { refusedField, sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { createClient } from '../openai/client.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { dialectOf, toBody } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

const OPTIONAL = ['stream_options', 'prompt_cache_key', 'reasoning_effort', 'temperature', 'max_tokens', 'max_completion_tokens'];

/** The Chat Completions API, as implemented by OpenRouter, Groq, DeepSeek, Mistral, llama.cpp, vLLM, LM Studio and others. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const { label = 'The chat server', id } = config.provider ?? {};
  const server = serverOf(label, config);
  const without: string[] = [];
  let client: OpenAI | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig(label, config);
    client ??= createClient(config, server, silenceOf(config, true));
    for (;;) {
      const body = toBody(request, { ...dialectOf(config.baseUrl), without, ...(id && { provider: id }) });
      try {
        return await client.post<AsyncIterable<unknown>>('/chat/completions', { body, signal, stream: true });
      } catch (error) {
        const refused = refusedField(error, OPTIONAL, body);
        if (!refused) throw error;
        without.push(refused);
      }
    }
  }

  return {
    silenceMs: silenceOf(config, true),
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        () => toModelEvents(server),
        (error) => sdkError(server, error),
      ),
  };
}
