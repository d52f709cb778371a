/**
 * Sends requests with `node:http`. The `fetch` of Node does the same but copies each body several times, which costs ten times as much as
 * sending it. Nothing here uses `Response` or `Headers`, because Node takes as long to load them as to start.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { type Answer, type Bytes, WITHOUT_BODY } from './answer.ts';

/** The time limit for opening a connection, in milliseconds, as in the `fetch` of Node. */
const CONNECT_MS = 10_000;

/**
 * Sends a request like `fetch`, but does not follow redirects. `init.body` must be bytes, text or missing. @throws the errors of `fetch`
 */
export async function send(address: string, init: RequestInit = {}, connectMs = CONNECT_MS): Promise<Answer> {
  const { method = 'GET', headers = {}, body, signal } = init;
  signal?.throwIfAborted();
  const url = new URL(address);
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array | null | undefined);
  const fields = {
    ...(Symbol.iterator in headers ? Object.fromEntries(headers as Iterable<[string, string]>) : headers),
    ...(bytes && { 'content-length': `${bytes.length}` }),
  };
  const { request } = url.protocol === 'http:' ? http : https;

  return await new Promise((resolve, reject) => {
    const attempt = (isFirst: boolean) => {
      const sent = request(url, { method, headers: fields });
      let hasAnswer = false;
      const fail = (error: unknown) => {
        over();
        reject(error);
      };
      const abort = () => {
        fail(signal?.reason);
        sent.destroy();
      };
      // A proxy may not respond before the request has a socket, so the time is measured from the beginning.
      const timer = setTimeout(() => {
        fail(new TypeError('fetch failed', { cause: new Error(`no connection within ${connectMs / 1000} seconds`) }));
        sent.destroy();
      }, connectMs);
      const connected = () => clearTimeout(timer);
      const over = () => {
        connected();
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort, { once: true });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed a connection that was kept open, at the moment when the request was sent.
        const isStale = sent.reusedSocket && !hasAnswer && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (!isFirst || !isStale || signal?.aborted) return fail(new TypeError('fetch failed', { cause: error }));
        over();
        attempt(false);
      });
      sent.on('socket', (socket) => {
        if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      sent.on('response', (answer) => {
        hasAnswer = true;
        answer.on('close', over);
        resolve(answerOf(answer, signal ?? undefined));
      });
      sent.end(bytes ?? undefined);
    };
    attempt(true);
  });
}

function answerOf(answer: IncomingMessage, signal: AbortSignal | undefined): Answer {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2) {
    const name = (answer.rawHeaders[index] as string).toLowerCase();
    const value = answer.rawHeaders[index + 1] as string;
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  const status = answer.statusCode ?? 0;
  if (WITHOUT_BODY.includes(status)) answer.resume();
  return { status, headers, body: WITHOUT_BODY.includes(status) ? undefined : bytesOf(decoded(answer), answer, signal) };
}

/** Decompresses an answer. The requests do not ask for compression, but some servers compress their answers anyway. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (!/^(x-)?(gzip|deflate|br)$/.test(encoding)) return answer;
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  answer.on('error', (error) => decoder.destroy(error));
  return answer.pipe(decoder);
}

function bytesOf(source: Readable, answer: IncomingMessage, signal: AbortSignal | undefined): Bytes {
  let isOver = false;
  let failure: unknown;
  /** The read that is waiting for bytes. */
  let waiting: { resolve(bytes: Uint8Array | undefined): void; reject(reason: unknown): void } | undefined;
  const settle = () => {
    if (!waiting) return;
    const bytes: Uint8Array | null = isOver ? null : source.read();
    if (bytes === null && !isOver) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    if (failure === undefined) resolve(bytes ?? undefined);
    else reject(failure);
  };
  const end = () => {
    isOver = true;
    settle();
  };
  const fail = (error: unknown) => {
    if (isOver) return;
    failure = signal?.aborted ? signal.reason : new TypeError('terminated', { cause: error });
    end();
    answer.destroy();
  };
  source.on('readable', settle);
  source.on('end', end);
  source.on('error', fail);
  answer.on('error', fail);
  // An aborted request closes the response without an error.
  answer.on('close', () => {
    if (!answer.complete) fail(new Error('other side closed'));
  });
  return {
    read: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        settle();
      }),
    cancel() {
      end();
      answer.destroy();
    },
  };
}
