/** The `fetch` used by all adapters: it limits how long a server may be silent and how much it may send. */
import type { ModelError } from '../core/model/model.ts';
import { failureError, failureOf, modelError, retryAfter } from './errors.ts';
import { send } from './http.ts';
import { type LineRules, type Listener, throughLines } from './lines.ts';
import type { Server } from './server.ts';
import { parseInput } from './tool-calls.ts';
import type { ProviderConfig } from './types.ts';

/**
 * How long a server may send nothing, in milliseconds. A local server needs longer because it first loads the model and reads the complete
 * prompt. The `fetch` of Node has a limit of 300 s.
 */
const SILENCE_MS = 120_000;
const LOCAL_SILENCE_MS = 290_000;
/** Size limits in bytes: for responses that are not streams, such as model lists, and for error responses. */
const MAX_BODY = 32 * 2 ** 20;
const MAX_ERROR = 2 ** 18;
const REDIRECTS = [301, 302, 303, 307, 308];

export function silenceOf({ silenceMs }: ProviderConfig, isLocal: boolean): number {
  return Math.min(silenceMs ?? (isLocal ? LOCAL_SILENCE_MS : SILENCE_MS), LOCAL_SILENCE_MS);
}

export type ConnectionOptions = {
  silenceMs: number;
  /** Returns how to process the lines of the response if it is a stream of lines. */
  rulesFor(url: string, init: RequestInit | undefined): LineRules | undefined;
  /** Whether an error status is converted to a ModelError here, because the SDK would lose details. */
  throwsStatus?: boolean;
  /** Whether a response declared as JSON is read completely before it is passed on. */
  readsJson?: boolean;
};

export function connection(
  server: Server,
  { silenceMs, rulesFor, throwsStatus = false, readsJson = false }: ConnectionOptions,
): typeof fetch {
  const sendFollowing = followingFetch(server);
  return async (input, init) => {
    const silence = new Silence(server, silenceMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const rules = rulesFor(String(input), init);
    try {
      const response = await sendFollowing(input, { ...init, signal });
      silence.received();
      if (!response.ok) return await readFailure(server, response, silence, throwsStatus);
      expectNoPage(server, response);
      if (!rules) return await readWhole(server, response, silence);
      const answer = readsJson && isJson(response) ? await readWhole(server, response, silence, expectNoFailure) : response;
      return new Response(answer.body && throughLines(answer.body, rules, silence), answer);
    } catch (error) {
      silence.end();
      throw error;
    }
  };
}

/** Creates a `fetch` that sends requests in the fastest way, and follows redirects with the `fetch` of Node. */
function followingFetch({ usesFetch }: Server): typeof fetch {
  const sendOnce = usesFetch ? fetchOnce : httpOnce;
  let redirects = false;
  return async (input, init) => {
    const direct = redirects ? undefined : await sendOnce(input, init);
    if (direct) return direct;
    const response = await fetch(input, init);
    redirects = response.redirected;
    return response;
  };
}

/** Resolves to undefined if the server redirects the request. */
type SendOnce = (...request: Parameters<typeof fetch>) => Promise<Response | undefined>;

const httpOnce: SendOnce = async (input, init) => {
  const response = await send(input, init);
  if (!REDIRECTS.includes(response.status) || !response.headers.has('location')) return response;
  void response.body?.cancel();
  return undefined;
};

/** These two options save `fetch` from copying the body once. */
const fetchOnce: SendOnce = async (input, init) => {
  try {
    return await fetch(input, { ...init, redirect: 'error', window: null });
  } catch (error) {
    if (/redirect/i.test(`${error} ${(error as Error).cause}`)) return undefined;
    throw error;
  }
};

/** Measures how long the server has sent nothing while data is requested. At the limit, `signal` aborts the request. */
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
    // The timer must not keep the process alive: the connection does that, and without a connection no timeout is needed.
    this.#timer.unref?.();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  wait(): void {
    this.#isWaiting = true;
    this.#timer.refresh();
  }

  received(): void {
    this.#isWaiting = false;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  tooLong(bytes: number): ModelError {
    return tooMuch(this.#server, `more than ${bytes / 2 ** 20} MB in one line`);
  }
}

/** Creates the error for a silent server. Its text avoids words that an SDK would interpret as its own timeout. */
export function silent(server: Server, ms: number): ModelError {
  return modelError(server, 'timeout', '', {
    happened: `sent nothing for ${Math.round(ms / 1000)} seconds`,
    todo: 'check that the server is still running, or allow a longer wait in the settings',
  });
}

function tooMuch(server: Server, what: string): ModelError {
  return modelError(server, 'bad_stream', '', {
    happened: `sent ${what}, which exceeds the limit`,
    todo: 'check that the base URL leads to a model server, or choose another model',
  });
}

async function readFailure(server: Server, response: Response, silence: Silence, throws: boolean): Promise<Response> {
  const wait = retryAfter(response.headers);
  const text = await textOf(response, silence, MAX_ERROR, (soFar) => soFar);
  silence.end();
  if (!throws) return new Response(text || null, response);
  throw failureError(server, { ...failureOf(text), status: response.status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
}

async function readWhole(
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
    silence.received();
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

/** Rejects HTML pages, such as login pages, because an SDK would treat them as empty streams. */
function expectNoPage(server: Server, { headers, body }: Response): void {
  if (!/^text\/html/i.test(headers.get('content-type') ?? '')) return;
  void body?.cancel().catch(() => undefined);
  throw modelError(server, 'invalid_request', 'the address answered with a web page, not an API');
}
