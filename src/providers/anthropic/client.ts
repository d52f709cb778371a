import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client';
import { asFetch } from '../answer.ts';
import { silenceOf } from '../connection.ts';
import { eventConnection } from '../event-stream.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** Creates the SDK client with every option set explicitly: no retries, no console output, nothing read from the environment. */
export function createClient(config: ProviderConfig, server: Server): BaseAnthropic {
  const { apiKey, baseUrl, headers } = config;
  const key = apiKey?.trim();
  const silenceMs = silenceOf(config, false);
  // Older gateways accept the key only in `x-api-key`.
  const gateway = key && baseUrl ? { 'x-api-key': key } : {};
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? gateway : { Authorization: null }), ...headers };
  const client = new BaseAnthropic({
    apiKey: key || 'none',
    authToken: null,
    webhookKey: null,
    baseURL: baseUrl?.replace(/\/v1\/?$/, '') || 'https://api.anthropic.com',
    maxRetries: 0,
    // This limit includes the time for reading an error. It is much longer than the silence that `eventConnection` allows, so that the
    // silence is reported first.
    timeout: 20 * silenceMs,
    fetch: asFetch(eventConnection(server, silenceMs, 'add')),
    logLevel: 'off',
    openTelemetry: { propagation: false, traces: false },
    defaultHeaders,
  });
  // The SDK would otherwise add headers from ANTHROPIC_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}
