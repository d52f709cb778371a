import { GoogleGenAI } from '@google/genai/web';
import { asFetch } from '../answer.ts';
import { silenceOf } from '../connection.ts';
import { eventConnection } from '../event-stream.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** Creates the `fetch` that all requests use. */
export function connectionFor(config: ProviderConfig, server: Server): typeof fetch {
  return asFetch(eventConnection(server, silenceOf(config, false), 'drop', true));
}

/** Uses the SDK's web entry, which behaves the same in Node and reads nothing from the environment. */
export function createClient(config: ProviderConfig, server: Server): GoogleGenAI {
  const { apiKey, baseUrl, headers } = config;
  return new GoogleGenAI({
    apiKey: apiKey?.trim() || 'none',
    vertexai: false,
    httpOptions: {
      fetch: connectionFor(config, server),
      headers: { 'User-Agent': 'Kedge', ...headers },
      // The SDK adds the API version to the path itself.
      ...(baseUrl ? { baseUrl: baseUrl.replace(/\/v1(alpha|beta)?\/?$/, '') } : {}),
    },
  });
}
