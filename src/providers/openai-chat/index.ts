import type { ModelAdapter, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { refusedField, sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { Client } from '../openai/client.ts';
import { formOf, RequestBodies } from '../request-body.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { type Dialect, dialectOf, toBody, toMessages } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

const OPTIONAL = [
  'stream_options',
  'prompt_cache_key',
  'reasoning_effort',
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'response_format',
  'tool_choice',
];

/**
 * Creates the adapter for the Chat Completions API, as implemented by OpenRouter, Groq, DeepSeek, Mistral, llama.cpp, vLLM, LM Studio and
 * others.
 */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const { label = 'The chat server', id } = config.provider ?? {};
  const server = serverOf(label, config);
  const bodies = new RequestBodies();
  let dialect: Dialect | undefined;
  let client: Client | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig(label, config);
    client ??= new Client(config, server, silenceOf(config, true));
    for (;;) {
      dialect ??= { ...dialectOf(config.baseUrl), ...(id && { provider: id }) };
      const current = dialect;
      const head = () => toBody({ ...request, messages: [] }, current);
      const body = bodies.of(request, current, () => formOf(head(), (message) => toMessages(message, request.model, current)));
      try {
        return await client.post('/chat/completions', body, signal);
      } catch (error) {
        const refused = refusedField(error, OPTIONAL, head());
        if (!refused) throw error;
        dialect = { ...current, without: [...(current.without ?? []), refused] };
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
