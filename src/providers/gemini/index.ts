import type { GoogleGenAI } from '@google/genai/web';
import type { ModelAdapter, ModelRequest } from '../../core/model/model.ts';
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
  let client: GoogleGenAI | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Gemini', config);
    client ??= createClient(config, server);
    const { model, config: options } = toParameters({ ...request, messages: [] });
    const fetchWithMessages: typeof fetch = (input, init) =>
      send(input, { ...init, body: bodies.of(request, undefined, () => formOf(request, init?.body)) });
    return await client.models.generateContentStream({
      model,
      contents: STAND_IN,
      config: { ...options, abortSignal: signal, httpOptions: { fetch: fetchWithMessages } },
    });
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

/** Returns the form of a request from the SDK's body. */
function formOf({ model }: ModelRequest, body: unknown): BodyForm {
  if (typeof body !== 'string' || !body.startsWith(BODY_START)) throw new Error('The SDK does not begin its request with the contents.');
  const ids: Ids = new Map();
  return { before: '{"contents":[', after: `]${body.slice(BODY_START.length)}`, toItems: (message) => toContent(message, model, ids) };
}
