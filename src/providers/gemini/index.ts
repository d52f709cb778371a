import type { GoogleGenAI } from '@google/genai/web';
import { type ModelAdapter, ModelError, type ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { type BodyForm, RequestBodies } from '../request-body.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { connectionFor, createClient } from './client.ts';
import { type Ids, toContent, toParameters } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/**
 * The SDK converts all messages again in each request, so it receives this placeholder instead, and the real messages are inserted into its
 * body.
 */
const STAND_IN = [{ parts: [{ text: '' }], role: 'user' }];
const BODY_START = JSON.stringify({ contents: STAND_IN }).slice(0, -1);

/** Creates the adapter for Google's Gemini API. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('Gemini', config);
  const bodies = new RequestBodies();
  const send = connectionFor(config, server);
  /** The models that rejected a schema for answers. Older models support it only without tools. */
  const withoutSchema = new Set<string>();
  let client: GoogleGenAI | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Gemini', config);
    client ??= createClient(config, server);
    const isFree = withoutSchema.has(request.model);
    const { model, config: options } = toParameters({ ...request, messages: [] }, isFree);
    const fetchWithMessages: typeof fetch = (input, init) =>
      send(input, { ...init, body: bodies.of(request, isFree, () => formOf(request, init?.body)) });
    try {
      return await client.models.generateContentStream({
        model,
        contents: STAND_IN,
        config: { ...options, abortSignal: signal, httpOptions: { fetch: fetchWithMessages } },
      });
    } catch (error) {
      if (!request.answerSchema || isFree || !refusesSchema(error)) throw error;
      withoutSchema.add(request.model);
      return open(request, signal);
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

function refusesSchema(error: unknown): boolean {
  return error instanceof ModelError && error.kind === 'invalid_request' && /response.?(mime|json|schema)/i.test(error.message);
}

/** Returns the form of a request from the SDK's body. */
function formOf({ model }: ModelRequest, body: unknown): BodyForm {
  if (typeof body !== 'string' || !body.startsWith(BODY_START)) throw new Error('The SDK does not begin its request with the contents.');
  const ids: Ids = new Map();
  return { before: '{"contents":[', after: `]${body.slice(BODY_START.length)}`, toItems: (message) => toContent(message, model, ids) };
}
