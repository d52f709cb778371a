/** Sends the requests of all adapters: it limits how long a server may be silent and how much it may send. */
import type { ModelError } from '../core/model/model.ts';
import { type Answer, fromResponse, isOk, type Send, withText } from './answer.ts';
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

export function connection(server: Server, { silenceMs, rulesFor, throwsStatus = false, readsJson = false }: ConnectionOptions): Send {
  const sendFollowing = followingSend(server);
  return async (url, init) => {
    const silence = new Silence(server, silenceMs);
    const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const rules = rulesFor(url, init);
    try {
      const answer = await sendFollowing(url, { ...init, signal });
      silence.received();
      if (!isOk(answer)) return await readFailure(server, answer, silence, throwsStatus);
      expectNoPage(server, answer);
      if (!rules) return await readWhole(server, answer, silence);
      const { body, ...head } = readsJson && isJson(answer) ? await readWhole(server, answer, silence, expectNoFailure) : answer;
      return { ...head, body: body && throughLines(body, rules, silence) };
    } catch (error) {
      silence.end();
      throw error;
    }
  };
}

/** Creates a function that sends requests in the fastest way, and follows redirects with the `fetch` of Node. */
function followingSend({ usesFetch }: Server): Send {
  const sendOnce = usesFetch ? fetchOnce : httpOnce;
  let redirects = false;
  return async (url, init) => {
    const direct = redirects ? undefined : await sendOnce(url, init);
    if (direct) return direct;
    const response = await fetch(url, init);
    redirects = response.redirected;
    return fromResponse(response);
  };
}

/** Resolves to undefined if the server redirects the request. */
type SendOnce = (...request: Parameters<Send>) => Promise<Answer | undefined>;

const httpOnce: SendOnce = async (url, init) => {
  const answer = await send(url, init);
  if (!REDIRECTS.includes(answer.status) || !answer.headers.has('location')) return answer;
  answer.body?.cancel();
  return undefined;
};

/** These two options save `fetch` from copying the body once. */
const fetchOnce: SendOnce = async (url, init) => {
  try {
    return fromResponse(await fetch(url, { ...init, redirect: 'error', window: null }));
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

async function readFailure(server: Server, answer: Answer, silence: Silence, throws: boolean): Promise<Answer> {
  const wait = retryAfter(answer.headers);
  const text = await textOf(answer, silence, MAX_ERROR, (soFar) => soFar);
  silence.end();
  if (!throws) return withText(answer, text);
  throw failureError(server, { ...failureOf(text), status: answer.status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
}

async function readWhole(
  server: Server,
  answer: Answer,
  silence: Silence,
  check?: (server: Server, text: string) => void,
): Promise<Answer> {
  const text = await textOf(answer, silence, MAX_BODY, () => {
    throw tooMuch(server, `more than ${MAX_BODY / 2 ** 20} MB`);
  });
  silence.end();
  check?.(server, text);
  return withText(answer, text);
}

async function textOf({ body }: Answer, silence: Listener, most: number, cut: (soFar: string) => string): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    silence.wait();
    const value = await body.read();
    silence.received();
    if (!value) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes <= most) continue;
    body.cancel();
    return cut(text);
  }
}

function isJson({ headers }: Answer): boolean {
  return /^application\/json/i.test(headers.get('content-type') ?? '');
}

function expectNoFailure(server: Server, text: string): void {
  const [first] = [parseInput(text).input].flat() as ({ error?: unknown } | null | undefined)[];
  if (first?.error) throw failureError(server, failureOf(first));
}

/** Rejects HTML pages, such as login pages, because an SDK would treat them as empty streams. */
function expectNoPage(server: Server, { headers, body }: Answer): void {
  if (!/^text\/html/i.test(headers.get('content-type') ?? '')) return;
  body?.cancel();
  throw modelError(server, 'invalid_request', 'the address answered with a web page, not an API');
}
