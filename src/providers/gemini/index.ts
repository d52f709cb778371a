import type { GoogleGenAI } from '@google/genai/web';
import type { ModelAdapter, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { createClient } from './client.ts';
import { toParameters } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

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
    silenceMs: silenceOf(config, false),
    stream: (request, signal) =>
      exchange(
        signal,
        (either) => open(request, either),
        () => toModelEvents(server),
        (error) => sdkError(server, error),
      ),
  };
}
