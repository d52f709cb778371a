/**
 * Sends the requests of both OpenAI wires. The SDK reads the events and the errors of the answers. Its client would send the same requests, but
 * it needs Node's `fetch`, and loading both takes as long as starting Node.
 */
import type { OpenAI } from 'openai/client';
import { APIError } from 'openai/core/error';
import { Stream } from 'openai/core/streaming';
import { type Answer, type Bytes, isOk, type Send, wholeText } from '../answer.ts';
import { sdkError } from '../errors.ts';
import { eventConnection } from '../event-stream.ts';
import { entriesOf, sendListRequest } from '../listing.ts';
import type { Server } from '../server.ts';
import { parseInput } from '../tool-calls.ts';
import type { ProviderConfig } from '../types.ts';

/** The SDK would write events that it cannot parse to the console. */
const QUIET = { logLevel: 'off' } as OpenAI;

export class Client {
  readonly #send: Send;
  readonly #headers: Record<string, string> = {};
  readonly #urlOf: (path: string) => string;

  constructor({ apiKey, baseUrl, headers }: ProviderConfig, server: Server, silenceMs: number) {
    const key = apiKey?.trim();
    const { origin, pathname, search } = new URL(baseUrl || 'https://api.openai.com/v1');
    // Azure deployments specify the API version in the query.
    this.#urlOf = (path) => origin + pathname.replace(/\/$/, '') + path + search;
    this.#send = eventConnection(server, silenceMs, 'keep');
    const all = { Accept: 'application/json', 'User-Agent': 'Kedge', ...(key && { Authorization: `Bearer ${key}` }), ...headers };
    for (const [name, value] of Object.entries(all)) this.#headers[name.toLowerCase()] = value;
  }

  /** Sends a request and returns the data of the events in its answer. @throws APIError */
  async post(path: string, body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const answer = await this.#answer(path, { method: 'POST', headers, body, signal });
    const response = { body: iterate(answer.body), headers: answer.headers } as unknown as Response;
    // `signal` ends the connection.
    return Stream.fromSSEResponse(response, new AbortController(), QUIET);
  }

  /** @throws APIError */
  async get(path: string, signal: AbortSignal): Promise<unknown> {
    return JSON.parse(await wholeText(await this.#answer(path, { headers: this.#headers, signal })));
  }

  async #answer(path: string, init: RequestInit): Promise<Answer> {
    const answer = await this.#send(this.#urlOf(path), init);
    if (isOk(answer)) return answer;
    const text = await wholeText(answer);
    const { input } = parseInput(text);
    const told = (input as { error?: unknown } | null | undefined)?.error ?? input;
    const error = told !== null && typeof told === 'object' ? told : undefined;
    throw APIError.generate(answer.status, error && { error }, text, answer.headers as unknown as Headers);
  }
}

async function* iterate(body: Bytes | undefined): AsyncGenerator<Uint8Array> {
  let isOver = false;
  try {
    for (let bytes = await body?.read(); bytes; bytes = await body?.read()) yield bytes;
    isOver = true;
  } finally {
    if (!isOver) body?.cancel();
  }
}

/** Returns the entries of `/models`. @throws ModelError */
export async function modelEntries(client: Client, server: Server, signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const answer = await sendListRequest(server, signal, (either) => client.get('/models', either), sdkError);
  return entriesOf(server, answer, 'data');
}
