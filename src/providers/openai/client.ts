import { type ClientOptions, OpenAI } from 'openai/client';
import type { ProviderConfig } from '../types.ts';

/** The SDK, told everything: it retries nothing, prints nothing and takes nothing from the environment. */
export function createClient({ apiKey, baseUrl, headers }: ProviderConfig, timeout: number): OpenAI {
  const key = apiKey?.trim();
  const defaultHeaders = { 'User-Agent': 'Kedge', ...(key ? {} : { Authorization: null }), ...headers };
  const client = new OpenAI({
    apiKey: key || 'none',
    adminAPIKey: null,
    baseURL: baseUrl || 'https://api.openai.com/v1',
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout,
    logLevel: 'off',
    defaultHeaders,
  });
  // The SDK would add the headers of OPENAI_CUSTOM_HEADERS.
  (client as unknown as { _options: ClientOptions })._options.defaultHeaders = defaultHeaders;
  return client;
}
