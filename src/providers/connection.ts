/** `fetch` as all wires use it: no server keeps a request waiting for ever, or sends more than an answer needs. */
import type { ModelError } from '../core/model/model.ts';
import { failureError, failureOf, modelError, retryAfter } from './errors.ts';
import { type LineRules, type Listener, throughLines } from './lines.ts';
import type { Server } from './server.ts';
import { parseInput } from './tool-calls.ts';
import type { ProviderConfig } from './types.ts';

/** How long a service may send nothing. Local servers load the model first, and read the whole prompt; Node gives up after 300 s. */
const SILENCE_MS = 120_000;
const LOCAL_SILENCE_MS = 290_000;
/** Of a list of models, of what is not a stream, and of an error. */
const MAX_BODY = 32 * 2 ** 20;
const MAX_ERROR = 2 ** 18;

export function silenceOf({ silenceMs }: ProviderConfig, isLocal: boolean): number {
  return Math.min(silenceMs ?? (isLocal ? LOCAL_SILENCE_MS : SILENCE_MS), LOCAL_SILENCE_MS);
}

export type ConnectionOptions = {
  silenceMs: number;
  /** How the lines of this answer are read, where it is a stream of lines. */
  rulesFor(url: string, init: RequestInit | undefined): LineRules | undefined;
  /** Whether an error status becomes a ModelError before the SDK makes something poorer of it. */
  throwsStatus?: boolean;
  /** Whether an answer that says to be JSON is read whole before it is passed on. */
  readsJson?: boolean;
};

export function connection(
  server: Server,
  { silenceMs, rulesFor, throwsStatus = false, readsJson = false }: ConnectionOptions,
): typeof fetch {
  return async (input, init) => {
    const silence = new Silence(server, silenceMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const rules = rulesFor(String(input), init);
    try {
      const response = await fetch(input, { ...init, signal });
      silence.heard();
      if (!response.ok) return await failed(server, response, silence, throwsStatus);
      expectNoPage(server, response);
      if (!rules) return await whole(server, response, silence);
      const answer = readsJson && isJson(response) ? await whole(server, response, silence, expectNoFailure) : response;
      return new Response(answer.body && throughLines(answer.body, rules, silence), answer);
    } catch (error) {
      silence.end();
      throw error;
    }
  };
}

/** How long nothing has come while somebody waits for it. Its signal aborts the request when that is too long. */
class Silence implements Listener {
  readonly #server: Server;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isWaiting = true;

  constructor(server: Server, ms: number) {
    this.#server = server;
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) this.#controller.abort(silent(server, ms));
    }, ms);
    // The connection keeps a program alive, and where that is gone no time-out is worth waiting for.
    this.#timer.unref?.();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  wait(): void {
    this.#isWaiting = true;
    this.#timer.refresh();
  }

  heard(): void {
    this.#isWaiting = false;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  tooLong(bytes: number): ModelError {
    return tooMuch(this.#server, `more than ${bytes / 2 ** 20} MB without the end of a line`);
  }
}

/** Not in words that an SDK takes for a time-out of its own. */
export function silent(server: Server, ms: number): ModelError {
  return modelError(server, 'timeout', '', {
    happened: `sent nothing for ${Math.round(ms / 1000)} seconds`,
    todo: 'see whether it is still at work, or allow more time in the settings',
  });
}

function tooMuch(server: Server, what: string): ModelError {
  return modelError(server, 'bad_stream', '', {
    happened: `sent ${what}, which no answer needs`,
    todo: 'check that the base URL leads to a model server, or choose another model',
  });
}

async function failed(server: Server, response: Response, silence: Silence, throws: boolean): Promise<Response> {
  const wait = retryAfter(response.headers);
  const text = await textOf(response, silence, MAX_ERROR, (soFar) => soFar);
  silence.end();
  if (!throws) return new Response(text || null, response);
  throw failureError(server, { ...failureOf(text), status: response.status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
}

async function whole(
  server: Server,
  response: Response,
  silence: Silence,
  check?: (server: Server, text: string) => void,
): Promise<Response> {
  const text = await textOf(response, silence, MAX_BODY, () => {
    throw tooMuch(server, `more than ${MAX_BODY / 2 ** 20} MB`);
  });
  silence.end();
  check?.(server, text);
  return new Response(text, response);
}

async function textOf({ body }: Response, silence: Silence, most: number, cut: (soFar: string) => string): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    silence.wait();
    const { done, value } = await reader.read();
    silence.heard();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes <= most) continue;
    void reader.cancel().catch(() => undefined);
    return cut(text);
  }
}

function isJson({ headers }: Response): boolean {
  return /^application\/json/i.test(headers.get('content-type') ?? '');
}

function expectNoFailure(server: Server, text: string): void {
  const [first] = [parseInput(text).input].flat() as ({ error?: unknown } | null | undefined)[];
  if (first?.error) throw failureError(server, failureOf(first));
}

/** An SDK would take a page, such as the one to log in, for a stream that says nothing. */
function expectNoPage(server: Server, { headers, body }: Response): void {
  if (!/^text\/html/i.test(headers.get('content-type') ?? '')) return;
  void body?.cancel().catch(() => undefined);
  throw modelError(server, 'invalid_request', 'the address answered with a web page, not an API');
}
