/**
 * Serves clients over HTTP (the transport "Streamable HTTP"), on this computer only. A web page can make a browser send requests to this
 * computer, so every request must have the token, a host name of this computer, and no other origin.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type ServerPorts, serveClient } from './server.ts';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY = 4_000_000;
/** The maximum number of connected clients. Not every client says that it disconnects, so the one that was silent for longest gives way. */
const MAX_CLIENTS = 20;

type Client = { transport: WebStandardStreamableHTTPServerTransport; server: Server };

/**
 * `token` in the result is the random token that was made because none was given. `closed` resolves when `signal` is aborted and all clients
 * are disconnected. @throws Error if the port cannot be used
 */
export async function serveHttp(
  ports: ServerPorts,
  { port, token: given }: { port: number; token?: string | undefined },
  signal: AbortSignal,
): Promise<{ url: string; token: string | undefined; closed: Promise<void> }> {
  const token = given || randomBytes(32).toString('base64url');
  const clients = new Map<string, Client>();
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, token);
    if (refusal) return refuse(response, ...refusal);
    answer(request, response, clients, ports).catch(() => response.headersSent || refuse(response, 500, 'The request failed.'));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, HOST, resolve));
  const address = server.address();
  const url = `http://${HOST}:${typeof address === 'object' && address ? address.port : port}${PATH}`;
  const closed = new Promise<void>((resolve) => {
    const close = async () => {
      await Promise.all([...clients.values()].map((client) => client.server.close()));
      server.closeAllConnections();
      server.close(() => resolve());
    };
    if (signal.aborted) void close();
    else signal.addEventListener('abort', () => void close(), { once: true });
  });
  return { url, token: given ? undefined : token, closed };
}

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Returns the status and the reason if a request must not be answered. */
function refusalOf({ headers, url = '' }: IncomingMessage, token: string): [number, string] | undefined {
  if (!LOCAL.test(headers.host ?? '')) return [403, 'The Host header must name this computer.'];
  const { origin } = headers;
  if (origin !== undefined && !LOCAL.test(/^https?:\/\/(.*)$/i.exec(origin)?.[1] ?? ''))
    return [403, 'Requests of other origins are refused.'];
  const [, sent = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (!isSame(sent, token)) return [401, 'The token is missing or wrong.'];
  return url.split('?', 1)[0] === PATH ? undefined : [404, 'There is nothing here.'];
}

function isSame(sent: string, token: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const more = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...more });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}

async function answer(request: IncomingMessage, response: ServerResponse, clients: Map<string, Client>, ports: ServerPorts): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) return refuse(response, 413, 'The request is too large.');
  const id = request.headers['mcp-session-id'];
  const client = typeof id === 'string' ? clients.get(id) : undefined;
  if (id !== undefined && !client) return refuse(response, 404, 'There is no such session. Initialize a new one.');
  if (typeof id === 'string' && client) {
    // The map is in the order of the last requests.
    clients.delete(id);
    clients.set(id, client);
  }
  const { transport } = client ?? (await connect(clients, ports));
  const web = new Request(`http://${HOST}${request.url}`, {
    method: request.method ?? 'POST',
    headers: webHeaders(request),
    ...(request.method === 'POST' && { body: body as BodyInit }),
  });
  await send(await transport.handleRequest(web), response);
}

async function connect(clients: Map<string, Client>, ports: ServerPorts): Promise<Client> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    async onsessioninitialized(id) {
      clients.set(id, client);
      const [oldest] = clients;
      if (!oldest || clients.size <= MAX_CLIENTS) return;
      clients.delete(oldest[0]);
      await oldest[1].server.close();
    },
    onsessionclosed: (id) => void clients.delete(id),
  });
  const client = { transport, server: await serveClient(transport, ports) };
  return client;
}

/** Returns undefined if the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function webHeaders({ headers }: IncomingMessage): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) web.set(name, Array.isArray(value) ? value.join(', ') : value);
  return web;
}

/** A client that closes its connection cancels the stream. */
async function send(web: Response, response: ServerResponse): Promise<void> {
  response.writeHead(web.status, Object.fromEntries(web.headers));
  const reader = web.body?.getReader();
  if (!reader) return void response.end();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!response.write(part.value)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  response.end();
}
