/** Sends the requests of both OpenAI wires. The SDK would do the same, but loading it takes as long as starting Node. */
import { type Answer, isOk, type Send, wholeText } from '../answer.ts';
import { sdkError } from '../errors.ts';
import { eventConnection, eventData } from '../event-stream.ts';
import { entriesOf, sendListRequest } from '../listing.ts';
import type { Server } from '../server.ts';
import { parseInput } from '../tool-calls.ts';
import type { ProviderConfig } from '../types.ts';

/** A response with an error status. `error` is the error in its body, or the body. */
export class StatusError extends Error {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly error: unknown;

  constructor({ status, headers }: Answer, body: string) {
    super(`${status} ${body}`);
    this.status = status;
    this.headers = headers;
    const { input } = parseInput(body);
    const told = (input as { error?: unknown } | null | undefined)?.error ?? input;
    this.error = told !== null && typeof told === 'object' ? told : body;
  }
}

export class Client {
  readonly #server: Server;
  readonly #send: Send;
  readonly #headers: Record<string, string> = {};
  readonly #urlOf: (path: string) => string;

  constructor({ apiKey, baseUrl, headers }: ProviderConfig, server: Server, silenceMs: number) {
    const key = apiKey?.trim();
    const { origin, pathname, search } = new URL(baseUrl || 'https://api.openai.com/v1');
    // Azure deployments specify the API version in the query.
    this.#urlOf = (path) => origin + pathname.replace(/\/$/, '') + path + search;
    this.#server = server;
    this.#send = eventConnection(server, silenceMs, 'keep');
    const all = { Accept: 'application/json', 'User-Agent': 'Kedge', ...(key && { Authorization: `Bearer ${key}` }), ...headers };
    for (const [name, value] of Object.entries(all)) this.#headers[name.toLowerCase()] = value;
  }

  /** Sends a request and returns the data of the events in its answer. @throws StatusError */
  async post(path: string, body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    return eventData(this.#server, await this.#answer(path, { method: 'POST', headers, body, signal }));
  }

  /** @throws StatusError */
  async get(path: string, signal: AbortSignal): Promise<unknown> {
    return JSON.parse(await wholeText(await this.#answer(path, { headers: this.#headers, signal })));
  }

  async #answer(path: string, init: RequestInit): Promise<Answer> {
    const answer = await this.#send(this.#urlOf(path), init);
    if (isOk(answer)) return answer;
    throw new StatusError(answer, await wholeText(answer));
  }
}

/** Returns the entries of `/models`. @throws ModelError */
export async function modelEntries(client: Client, server: Server, signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const answer = await sendListRequest(server, signal, (either) => client.get('/models', either), sdkError);
  return entriesOf(server, answer, 'data');
}
