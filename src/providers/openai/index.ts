import { APIError } from 'openai/core/error';
import type { ModelAdapter, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { formOf, RequestBodies } from '../request-body.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { Client } from './client.ts';
import { type Omit, toBody, toItems } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

const OMITS_NOTHING: Omit = {};

/**
 * Creates the adapter for OpenAI's Responses API, which is used without server-side storage: the whole conversation is sent with every
 * request.
 */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('OpenAI', config);
  const omitted = new Map<string, Omit>();
  const bodies = new RequestBodies();
  let client: Client | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('OpenAI', config);
    client ??= new Client(config, server, silenceOf(config, false));
    for (;;) {
      const omit = omitted.get(request.model) ?? OMITS_NOTHING;
      const body = bodies.of(request, omit, () =>
        formOf(toBody({ ...request, messages: [] }, omit), (message) => toItems(message, request.model)),
      );
      try {
        return await client.post('/responses', body, signal);
      } catch (error) {
        const more = unsupported(error, omit, request);
        if (!more) throw error;
        omitted.set(request.model, more);
      }
    }
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

/**
 * Returns the features to omit when the request is repeated, or undefined if repeating would not help. Some models do not support encrypted
 * reasoning, temperature or a schema, and some accounts do not support summaries.
 */
function unsupported(error: unknown, omit: Omit, { temperature, answerSchema }: ModelRequest): Omit | undefined {
  if (!(error instanceof APIError) || error.status !== 400) return undefined;
  const errorText = `${error.param} ${error.message}`;
  if (!omit.encrypted && /^include\b|encrypted.content/i.test(errorText)) return { ...omit, encrypted: true };
  if (temperature !== undefined && !omit.temperature && /temperature/i.test(errorText)) return { ...omit, temperature: true };
  if (answerSchema && !omit.format && /text\.format|response_format|json_schema/i.test(errorText)) return { ...omit, format: true };
  if (!omit.summary && /reasoning\.summary|reasoning summar/i.test(errorText)) return { ...omit, summary: true };
  return undefined;
}
