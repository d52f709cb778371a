import { GoogleGenAI } from '@google/genai/web';
import { eventFetch } from '../event-stream.ts';
import { checkedFetch, FIRST_BYTE_MS, type Server } from '../http.ts';
import type { ProviderConfig } from '../types.ts';

/** The light entry of the SDK: it is the same for Node 24, and takes nothing from the environment. */
export function createClient({ apiKey, baseUrl, headers }: ProviderConfig, server: Server): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: apiKey?.trim() || 'none',
    vertexai: false,
    httpOptions: {
      fetch: eventFetch(server, checkedFetch(server, FIRST_BYTE_MS), 'drop'),
      headers: { 'User-Agent': 'Kedge', ...headers },
      // The version is part of the path that the SDK makes.
      ...(baseUrl ? { baseUrl: baseUrl.replace(/\/v1(alpha|beta)?\/?$/, '') } : {}),
    },
  });
}
