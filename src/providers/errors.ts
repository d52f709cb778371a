/** Classifies the errors of servers and writes the messages that users see. */

import { ModelError, type ModelErrorKind, type ModelErrorOptions } from '../core/model/model.ts';
import { overflowIn } from './overflow.ts';
import { type Lasting, lastingFailure } from './permanent-failures.ts';
import type { Server } from './server.ts';
import { parseInput } from './tool-calls.ts';

/** The details of a failure as reported by a server. All are optional because servers differ. */
export type Failure = { status?: number; code?: string; type?: string; param?: string; message?: string; retryAfterMs?: number };

export function scrub(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) text = text.replaceAll(form, '***');
  }
  return text;
}

const ADVICE: Record<ModelErrorKind, [happened: string, todo: string]> = {
  auth: ['refused the API key', 'check the key, its permissions and the provider in the settings'],
  unknown_model: ['does not know the model', 'choose another model'],
  no_credit: ['reports that the credit or quota is used up', "add credit in the provider's account or choose another model"],
  rate_limit: ['received too many requests', 'wait a moment, then try again'],
  overloaded: ['is overloaded or failed', 'try again in a moment'],
  context_overflow: [
    'reports that the conversation is too long for the model',
    'start a new session or choose a model with a larger context',
  ],
  invalid_request: ['refused the request', 'check the model, the base URL and the settings'],
  network: ['could not be reached', 'check the network, the proxy and the base URL'],
  timeout: ['did not answer in time', 'try again, or choose another model'],
  empty_answer: ['returned an empty answer', 'try again, rephrase the prompt, or choose another model'],
  bad_stream: ['sent an incomplete or invalid answer', 'try again'],
};

/** Matches a connection that this computer refused because no server listens on the port. */
const NOBODY_HERE = /ECONNREFUSED (127\.|::1)/;

/** Replaces parts of the standard message of a kind of error if more specific information is available. */
type Words = Partial<Pick<Lasting, 'happened' | 'todo'>> & ModelErrorOptions;

export function modelError(server: Server, kind: ModelErrorKind, detail = '', { happened, todo, ...options }: Words = {}): ModelError {
  const [usually, usualTodo] = ADVICE[kind];
  const nobody = kind === 'network' && NOBODY_HERE.test(detail) ? 'start the server, or correct the base URL' : undefined;
  const title = /<title>([^<]*)/i.exec(detail)?.[1] ?? '';
  const page = kind === 'overloaded' ? title : `a web page, not an API${title && `: ${title}`}`;
  const plain = /^\s*</.test(detail) ? page : detail;
  const said = scrub(plain, server.secrets)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .replace(/[.:;,]+$/, '');
  const message = `${server.name} ${happened ?? usually}${said ? ` (${said})` : ''}: ${todo ?? nobody ?? usualTodo}.`;
  return new ModelError(kind, message, { ...options, ...(kind === 'context_overflow' && overflowIn(detail)) });
}

const OVERFLOW =
  /context[ _](length|window|size|limit)|maximum context|prompt (is )?too (long|large)|input (is )?too (long|large)|too many (input )?tokens|exceeds? the (maximum|model'?s?) (number of )?(input )?tokens|reduce the length|request[ _]too[ _]large/i;
const NO_CREDIT =
  /insufficient[ _](quota|credit|balance|funds)|credit balance|billing|exceeded your current quota|out of credits|payment required/i;
const NO_MODEL = /model[ _]not[ _]found|(unknown|invalid|no such|unsupported) model|models?\b.{0,120}?(not found|does ?n[o']t exist)/i;
const OVERLOAD = /overload|server_error|api_error|internal|unavailable|temporar|timed? ?out|capacity|try again/i;
const AUTH = /authentication|invalid[ _](api[ _])?key|api key not valid|unauthorized|permission/i;

/** llama.cpp answers with status 500 if its chat template does not support tools. Retrying would not help. */
const TOOLLESS = /--jinja|\btools? (param|choice|calls?|calling|use)\b.{0,60}(requires?|support)|does not support (tools|function)/i;

/** Returns true if a server rejected a request because the model does not support tools. */
export function refusesTools(error: unknown): boolean {
  return error instanceof ModelError && error.kind === 'invalid_request' && TOOLLESS.test(error.message);
}

export function kindOf({ status, code = '', type = '', message = '', retryAfterMs }: Failure): ModelErrorKind {
  const text = `${code} ${type} ${message}`;
  if (status !== undefined && status >= 500 && TOOLLESS.test(text)) return 'invalid_request';
  if (status === 413 || ((status === undefined || status === 400 || status === 422) && OVERFLOW.test(text))) return 'context_overflow';
  // Google calls every limit a quota; if the response says when to retry, it is a rate limit.
  if (status === 429 && retryAfterMs !== undefined && code !== 'insufficient_quota') return 'rate_limit';
  if (status === 402 || ((status === undefined || (status >= 400 && status < 500)) && NO_CREDIT.test(text))) return 'no_credit';
  if (status === 429 || (status === undefined && /rate[ _]limit|too many requests|resource_exhausted/i.test(text))) return 'rate_limit';
  if ((status === undefined || status < 500) && NO_MODEL.test(text)) return 'unknown_model';
  if (status === 401 || status === 403 || ((status === undefined || status === 400) && AUTH.test(text))) return 'auth';
  // A server that does not support the request will not support it on a retry.
  if (status === 501 || status === 505) return 'invalid_request';
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) return 'overloaded';
  if (status !== undefined) return 'invalid_request';
  if (/invalid_(request|prompt|image|argument)|content_policy|bad[ _]request/i.test(text)) return 'invalid_request';
  return OVERLOAD.test(text) ? 'overloaded' : 'bad_stream';
}

export function failureError(server: Server, failure: Failure): ModelError {
  const kind = kindOf(failure);
  const fallback = failure.status === undefined ? '' : `HTTP status ${failure.status}`;
  const { retryAfterMs } = failure;
  return modelError(server, kind, failure.message || failure.code || fallback, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Reads the retry delay in milliseconds from `retry-after` (seconds or a date) or its more precise variant `retry-after-ms`. */
export function retryAfter(headers: { get(name: string): string | null | undefined } | undefined): number | undefined {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (exact >= 0) return exact;
  const value = headers?.get('retry-after') ?? '';
  const ms = /^\s*[\d.]+\s*$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * Reads an error in the forms that vendors use: `{error: {message, code, type}}`, `{message, code}`, a list of these, or a string. A
 * numeric code is a status.
 */
export function failureOf(body: unknown): Failure {
  if (Array.isArray(body) && body.length > 0) return failureOf(body[0]);
  if (typeof body === 'string') return /^\s*[{[]/.test(body) ? failureOf(parseInput(body).input ?? { message: body }) : { message: body };
  if (body === null || typeof body !== 'object') return {};
  const { error, message, code, type, param, status } = body as Record<string, unknown>;
  if (error !== undefined && error !== null && typeof message !== 'string') return failureOf(error);
  const delay = retryDelay((body as { details?: unknown }).details);
  const numeric = [status, code].map(Number).find((number) => number >= 400 && number < 600);
  return {
    ...(numeric === undefined ? {} : { status: numeric }),
    ...(typeof code === 'string' ? { code } : typeof status === 'string' ? { code: status } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof param === 'string' ? { param } : {}),
    ...(typeof message === 'string' ? { message } : { message: JSON.stringify(body) }),
    ...(delay === undefined ? {} : { retryAfterMs: delay }),
  };
}

/** Reads the retry delay that Google sends in the body: `{"@type": ".../google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
function retryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const seconds = Number.parseFloat(details.find((detail) => typeof detail?.retryDelay === 'string')?.retryDelay ?? '');
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

/**
 * An error of the OpenAI or Anthropic SDK. For an error response, `status` is set; for an error event, only `error`; for a failed
 * connection, neither.
 */
type ApiError = Error & { status?: number; headers?: Headers; error?: unknown };

export function sdkError(server: Server, error: unknown): ModelError {
  if (error instanceof Error && error.cause instanceof ModelError) return error.cause;
  const { status, headers, error: body } = error instanceof Error ? (error as ApiError) : {};
  if (!(error instanceof Error) || (status === undefined && body === undefined)) {
    return error && typeof error === 'object' && 'status' in error ? networkError(server, error) : plainError(server, error);
  }
  const told = failureOf(body ?? error.message.replace(/^\d{3} (status code \(no body\)$)?/, ''));
  const wait = retryAfter(headers);
  return failureError(server, { ...told, ...(status ? { status } : {}), ...(wait === undefined ? {} : { retryAfterMs: wait }) });
}

/** Returns the optional request field that the server names when it rejects the request; the request may succeed without it. */
export function refusedField(error: unknown, optional: readonly string[], request: object): string | undefined {
  const { status, error: body, message = '' } = error instanceof Error ? (error as ApiError) : {};
  if (status !== 400 && status !== 422) return undefined;
  const told = JSON.stringify(body ?? message);
  return optional.find((name) => name in request && told.includes(name));
}

/** Converts errors of `fetch`, of the network, and of parsing the response. */
export function plainError(server: Server, error: unknown): ModelError {
  if (error instanceof SyntaxError) return modelError(server, 'bad_stream', 'an event of the stream is not JSON');
  const fromBelow = error instanceof Error && (error.cause !== undefined || 'code' in error || error.name === 'TimeoutError');
  if (fromBelow || /fetch failed|terminated|network|socket/i.test(String(error))) return networkError(server, error);
  return modelError(server, 'bad_stream', error instanceof Error ? error.message : String(error));
}

/** The most specific reason is at the end of the chain of causes (`fetch failed` <- `connect ECONNREFUSED ...`). */
function networkError(server: Server, error: unknown): ModelError {
  let reason = error;
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause !== undefined; depth++) reason = reason.cause;
  if (reason instanceof AggregateError && reason.errors.length > 0) reason = reason.errors[0];
  if (reason instanceof ModelError) return reason;
  const detail = reason instanceof Error ? reason.message || reason.name : String(reason);
  const { kind, ...lasting } = lastingFailure(`${(reason as { code?: unknown } | null)?.code ?? ''} ${detail}`) ?? { kind: 'network' };
  return modelError(server, kind, detail, lasting);
}
