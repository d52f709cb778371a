import { GoogleGenAI } from '@google/genai/web';
import { silenceOf } from '../connection.ts';
import { eventConnection } from '../event-stream.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';

/** The light entry of the SDK: it is the same for Node 24, and takes nothing from the environment. */
export function createClient(config: ProviderConfig, server: Server): GoogleGenAI {
  const { apiKey, baseUrl, headers } = config;
  return new GoogleGenAI({
    apiKey: apiKey?.trim() || 'none',
    vertexai: false,
    httpOptions: {
      fetch: eventConnection(server, silenceOf(config, false), 'drop', true),
      headers: { 'User-Agent': 'Kedge', ...headers },
      // The version is part of the path that the SDK makes.
      ...(baseUrl ? { baseUrl: baseUrl.replace(/\/v1(alpha|beta)?\/?$/, '') } : {}),
    },
  });
}
