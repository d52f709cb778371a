import { Ollama } from 'ollama/browser';
import { asFetch } from '../answer.ts';
import { connection, silenceOf } from '../connection.ts';
import type { Server } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { lineRules } from './stream.ts';

const DEFAULT_URL = 'http://127.0.0.1:11434';

/** Adds the default address and removes the API path, which the SDK adds itself. */
export function withDefaultUrl(config: ProviderConfig): ProviderConfig & { baseUrl: string } {
  return { ...config, baseUrl: config.baseUrl?.replace(/\/(v1|api)\/?$/, '') || DEFAULT_URL };
}

/** Creates the `fetch` that all requests use. */
export function connectionFor(config: ProviderConfig, server: Server): typeof fetch {
  const rulesFor = (url: string) => (url.endsWith('/api/chat') ? lineRules(server) : undefined);
  return asFetch(connection(server, { silenceMs: silenceOf(config, true), rulesFor, throwsStatus: true }));
}

/**
 * The SDK does not accept a signal and would read a key from the environment, so the custom `fetch` handles both. `body` replaces the bodies
 * of all requests, because the SDK does not accept an encoded body.
 */
export function createClient(
  config: ReturnType<typeof withDefaultUrl>,
  server: Server,
  signal: AbortSignal,
  send = connectionFor(config, server),
  body?: Uint8Array<ArrayBuffer>,
): Ollama {
  const key = config.apiKey?.trim();
  const headers = { 'User-Agent': 'Kedge', ...(key ? { Authorization: `Bearer ${key}` } : {}), ...config.headers };
  const fetchWith: typeof fetch = async (input, init) => {
    const signals = init?.signal ? [init.signal, signal] : [signal];
    const content = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' };
    return await send(input, { ...init, ...(body && { body }), headers: { ...content, ...headers }, signal: AbortSignal.any(signals) });
  };
  return new Ollama({ host: config.baseUrl, fetch: fetchWith });
}
