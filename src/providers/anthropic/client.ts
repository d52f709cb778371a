import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client';
import { silenceOf } from '../connection.ts';
import { eventConnection } from '../event-stream.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** The SDK, told everything: it retries nothing, prints nothing and takes nothing from the environment. */
export function createClient(config: ProviderConfig, server: Server): BaseAnthropic {
  const { apiKey, baseUrl, headers } = config;
  const key = apiKey?.trim();
  const silenceMs = silenceOf(config, false);
  // Older gateways know the key in this header only.
  const gateway = key && baseUrl ? { 'x-api-key': key } : {};
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? gateway : { Authorization: null }), ...headers };
  const client = new BaseAnthropic({
    apiKey: key || 'none',
    authToken: null,
    webhookKey: null,
    baseURL: baseUrl?.replace(/\/v1\/?$/, '') || 'https://api.anthropic.com',
    maxRetries: 0,
    // The connection gives up before.
    timeout: 2 * silenceMs,
    fetch: eventConnection(server, silenceMs, 'add'),
    logLevel: 'off',
    openTelemetry: { propagation: false, traces: false },
    defaultHeaders,
  });
  // The SDK would add the headers of ANTHROPIC_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}
