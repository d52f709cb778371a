import { GoogleGenAI } from '@google/genai/web';
import type { ModelAdapter, ModelRequest } from '../../core/model.ts';
import { checkConfig, checkedFetch, exchange, FIRST_BYTE_MS, type Server, sdkError, serverOf } from '../http.ts';
import type { ProviderConfig } from '../types.ts';
import { toParameters } from './convert.ts';
import { toModelEvents } from './stream.ts';

/** Google's Gemini API. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('Gemini', config);
  let client: GoogleGenAI | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Gemini', config);
    client ??= createClient(config, server);
    const parameters = toParameters(request);
    return await client.models.generateContentStream({ ...parameters, config: { ...parameters.config, abortSignal: signal } });
  }

  return {
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        (events) => toModelEvents(events, server),
        (error) => sdkError(server, error),
      ),
  };
}

/** The light entry of the SDK: it is the same for Node 24, and takes nothing from the environment. */
function createClient({ apiKey, baseUrl, headers }: ProviderConfig, server: Server): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: apiKey?.trim() || 'none',
    vertexai: false,
    httpOptions: {
      fetch: checkedFetch(server, FIRST_BYTE_MS),
      headers: { 'User-Agent': 'Kedge', ...headers },
      // The version is part of the path that the SDK makes.
      ...(baseUrl ? { baseUrl: baseUrl.replace(/\/v1(alpha|beta)?\/?$/, '') } : {}),
    },
  });
}
