import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client';
import { eventFetch } from '../event-stream.ts';
import { FIRST_BYTE_MS, pageFetch, type Server } from '../http.ts';
import type { ProviderConfig } from '../types.ts';

/** The SDK, told everything: it retries nothing, prints nothing and takes nothing from the environment. */
export function createClient({ apiKey, baseUrl, headers }: ProviderConfig, server: Server): BaseAnthropic {
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
    fetch: eventFetch(server, pageFetch(server), 'add'),
    logLevel: 'off',
    openTelemetry: { propagation: false, traces: false },
    defaultHeaders,
  });
  // The SDK would add the headers of ANTHROPIC_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}
