import { type ClientOptions, OpenAI } from 'openai/client';
import { sdkError } from '../errors.ts';
import { eventConnection } from '../event-stream.ts';
import { ask, entriesOf } from '../listing.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** The SDK, told everything: it retries nothing, prints nothing and takes nothing from the environment. */
export function createClient({ apiKey, baseUrl, headers }: ProviderConfig, server: Server, silenceMs: number): OpenAI {
  const key = apiKey?.trim();
  const { origin, pathname, searchParams } = new URL(baseUrl || 'https://api.openai.com/v1');
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? {} : { Authorization: null }), ...headers };
  const client = new OpenAI({
    apiKey: key || 'none',
    adminAPIKey: null,
    baseURL: origin + pathname,
    // Deployments of Azure have their version there.
    defaultQuery: Object.fromEntries(searchParams),
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // The connection gives up before.
    timeout: 2 * silenceMs,
    fetch: eventConnection(server, silenceMs, 'keep'),
    logLevel: 'off',
    defaultHeaders,
  });
  // The SDK would add the headers of OPENAI_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}

/** What `/models` tells, entry by entry. */
export async function modelEntries(client: OpenAI, server: Server, signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const answer = await ask(server, signal, (either) => client.get<unknown>('/models', { signal: either }), sdkError);
  return entriesOf(server, answer, 'data');
}
