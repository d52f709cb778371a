import { type ClientOptions, OpenAI } from 'openai/client';
import { sdkError } from '../errors.ts';
import { eventConnection } from '../event-stream.ts';
import { entriesOf, sendListRequest } from '../listing.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** Creates the SDK client with every option set explicitly: no retries, no console output, nothing read from the environment. */
export function createClient({ apiKey, baseUrl, headers }: ProviderConfig, server: Server, silenceMs: number): OpenAI {
  const key = apiKey?.trim();
  const { origin, pathname, searchParams } = new URL(baseUrl || 'https://api.openai.com/v1');
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? {} : { Authorization: null }), ...headers };
  const client = new OpenAI({
    apiKey: key || 'none',
    adminAPIKey: null,
    baseURL: origin + pathname,
    // Azure deployments specify the API version in the query.
    defaultQuery: Object.fromEntries(searchParams),
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // This limit includes the time for reading an error. It is much longer than the silence that `eventConnection` allows, so that the
    // silence is reported first.
    timeout: 20 * silenceMs,
    fetch: eventConnection(server, silenceMs, 'keep'),
    logLevel: 'off',
    defaultHeaders,
  });
  // The SDK would otherwise add headers from OPENAI_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}

/** Returns the entries of `/models`. @throws ModelError */
export async function modelEntries(client: OpenAI, server: Server, signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const answer = await sendListRequest(server, signal, (either) => client.get<unknown>('/models', { signal: either }), sdkError);
  return entriesOf(server, answer, 'data');
}
