/**
 * Sends requests with `node:http`. The `fetch` of Node does the same but copies each body several times, which costs ten times as much as
 * sending it.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

/** The statuses whose responses have no body, as the constructor of `Response` requires. */
const WITHOUT_BODY = [204, 205, 304];

/** The time limit for opening a connection, in milliseconds, as in the `fetch` of Node. */
const CONNECT_MS = 10_000;

/**
 * Sends a request like `fetch`, but does not follow redirects. `init.body` must be bytes, text or missing. @throws the errors of `fetch`
 */
export async function send(input: RequestInfo | URL, init: RequestInit = {}, connectMs = CONNECT_MS): Promise<Response> {
  const { method = 'GET', headers, body, signal } = init;
  signal?.throwIfAborted();
  const url = new URL(String(input));
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array | null | undefined);
  const fields = {
    ...Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers)),
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
        try {
          resolve(responseOf(answer, signal ?? undefined));
        } catch (error) {
          sent.destroy();
          reject(error);
        }
      });
      sent.end(bytes ?? undefined);
    };
    attempt(true);
  });
}

function responseOf(answer: IncomingMessage, signal: AbortSignal | undefined): Response {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2)
    headers.push([answer.rawHeaders[index] as string, answer.rawHeaders[index + 1] as string]);
  const status = answer.statusCode ?? 0;
  if (WITHOUT_BODY.includes(status)) answer.resume();
  const body = WITHOUT_BODY.includes(status) ? null : streamOf(decoded(answer), answer, signal);
  return new Response(body, { status, headers });
}

/** Decompresses an answer. The requests do not ask for compression, but some servers compress their answers anyway. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (!/^(x-)?(gzip|deflate|br)$/.test(encoding)) return answer;
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  answer.on('error', (error) => decoder.destroy(error));
  return answer.pipe(decoder);
}

function streamOf(source: Readable, answer: IncomingMessage, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: unknown) => {
          if (isOver) return;
          isOver = true;
          controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause: error }));
          answer.destroy();
        };
        source.on('data', (chunk: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.on('end', () => {
          if (!isOver) controller.close();
          isOver = true;
        });
        source.on('error', fail);
        answer.on('error', fail);
        // An aborted request closes the response without an error.
        answer.on('close', () => {
          if (!answer.complete) fail(new Error('other side closed'));
        });
        source.pause();
      },
      pull() {
        source.resume();
      },
      cancel() {
        isOver = true;
        answer.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
