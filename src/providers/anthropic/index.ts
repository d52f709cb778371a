import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client';
import type { AssistantMessage, Usage } from '../../core/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../core/model.ts';
import { checkConfig, exchange, FIRST_BYTE_MS, sdkError, serverOf } from '../http.ts';
import type { ProviderConfig } from '../types.ts';
import { PROVIDER, toBody } from './convert.ts';
import { toModelEvents } from './stream.ts';

/** An answer that the service pauses and has sent back to it is one answer; it pauses no more often than this. */
const MAX_PAUSES = 20;

/** Anthropic's Messages API. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('Anthropic', config);
  let client: BaseAnthropic | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Anthropic', config);
    client ??= createClient(config);
    // `messages.create` would do the same, and write warnings about models to the console.
    return await client.post<AsyncIterable<unknown>>('/v1/messages', { body: toBody(request), signal, stream: true });
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const answer: AssistantMessage = { role: 'assistant', content: [], from: { provider: PROVIDER, model: request.model }, stop: 'other' };
    let before: Usage = {};
    for (let pauses = 0; ; pauses++) {
      const messages = pauses === 0 ? request.messages : [...request.messages, answer];
      const end = yield* exchange(
        signal,
        (either) => open({ ...request, messages }, either),
        (events) => toModelEvents(events, server, before, pauses < MAX_PAUSES),
        (error) => sdkError(server, error),
      );
      if (!end.paused) return;
      answer.content.push(...end.parts);
      before = end.usage;
    }
  }
  return { stream };
}

function createClient({ apiKey, baseUrl, headers }: ProviderConfig): BaseAnthropic {
  const key = apiKey?.trim();
  // Older gateways know the key in this header only.
  const gateway = key && baseUrl ? { 'x-api-key': key } : {};
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? gateway : { Authorization: null }), ...headers };
  const client = new BaseAnthropic({
    apiKey: key || 'none',
    authToken: null,
    webhookKey: null,
    baseURL: baseUrl?.replace(/\/v1\/?$/, '') || 'https://api.anthropic.com',
    maxRetries: 0,
    timeout: FIRST_BYTE_MS,
    logLevel: 'off',
    openTelemetry: { propagation: false, traces: false },
    defaultHeaders,
  });
  // The SDK would add the headers of ANTHROPIC_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}
