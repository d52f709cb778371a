/**
 * The only way from the browser to the network: a proxy that connects to the allowed hosts, and to nothing else. It sees every request of a
 * page, also those of frames, workers, redirects and web sockets, and those that the browser makes for itself.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPrivateAddress, isPrivateHost } from '../fetch/address.ts';
import { checkedLookup, type Resolve, resolveName } from '../fetch/checked-lookup.ts';

/** The most that a page may load, so that a page without an end does not fill the memory. */
const MAX_BYTES = 100_000_000;
const CONNECT_MS = 20_000;
/** Headers that are for one connection only. */
const HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

export class HostProxy {
  /** The hosts to which no connection was made, in the form `host:port`. */
  readonly refused = new Set<string>();
  readonly #server: Server;
  readonly #resolve: Resolve;
  readonly #sockets = new Set<Duplex>();
  #allowed: ReadonlySet<string> = new Set();
  #bytes = 0;

  constructor(resolve: Resolve = resolveName) {
    this.#resolve = resolve;
    this.#server = createServer((incoming, response) => this.#forward(incoming, response));
    this.#server.on('connect', (incoming: IncomingMessage, socket: Socket) => this.#tunnel(incoming, socket));
    this.#server.on('clientError', (_, socket) => socket.destroy());
    this.#server.on('connection', (socket) => this.#keep(socket));
  }

  /** Returns the address of the proxy. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Allows the host of a page and others, and nothing else from now on. Open connections end. */
  allow(page: URL, others: readonly string[]): void {
    const ports = portsOf(page);
    const twin = page.hostname.startsWith('www.') ? page.hostname.slice(4) : `www.${page.hostname}`;
    // For `www.wiki`, it would be a host of the own network, for which nobody was asked.
    const isSameKind = URL.canParse(`http://${twin}/`) && isPrivateHost(new URL(`http://${twin}/`)) === isPrivateHost(page);
    const names = [page.hostname, ...(isSameKind ? [twin] : [])];
    const allowed = names.flatMap((name) => ports.map((port) => `${name}:${port}`));
    for (const other of others) {
      const url = new URL(`http://${other}/`);
      allowed.push(...portsOf(url).map((port) => `${url.hostname}:${port}`));
    }
    this.#allowed = new Set(allowed);
    this.refused.clear();
    this.#bytes = 0;
    for (const socket of this.#sockets) socket.destroy();
  }

  get isFull(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const target = incoming.url ?? '';
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (url?.protocol !== 'http:' || !this.#isAllowed(url)) {
      incoming.resume();
      response
        .writeHead(403, { 'content-type': 'text/plain; charset=utf-8' })
        .end('Kedge did not send this request: the host is not allowed.');
      return;
    }
    const headers = { ...Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP.has(name))), host: url.host };
    const outgoing = request(url, { method: incoming.method, headers, agent: false, ...this.#target(url) }, (answer) => {
      const raw = answer.rawHeaders;
      const kept = raw.flatMap((name, index) => (index % 2 === 0 && !HOP.has(name.toLowerCase()) ? [name, raw[index + 1] as string] : []));
      try {
        response.writeHead(answer.statusCode ?? 502, kept);
      } catch {
        // The server sent a header or a status that Node does not write.
        response.destroy();
        return void outgoing.destroy();
      }
      this.#count(answer, () => outgoing.destroy());
      answer.on('error', () => response.destroy()).pipe(response);
    });
    outgoing.on('error', (error) => {
      if (response.headersSent) return void response.destroy();
      response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(`${url.host} could not be reached: ${reasonOf(error)}`);
    });
    response.on('close', () => outgoing.destroy());
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
  }

  /** The tunnel is for TLS and for web sockets. */
  #tunnel(incoming: IncomingMessage, socket: Socket): void {
    this.#keep(socket);
    socket.on('error', () => socket.destroy());
    const target = incoming.url ?? '';
    const url = /^[^/?#@\s]+:\d+$/.test(target) && URL.canParse(`http://${target}/`) ? new URL(`http://${target}/`) : undefined;
    if (!url || !this.#isAllowed(url)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const out = connect({ host: nameOf(url), port: Number(url.port || 80), ...this.#target(url) });
    this.#keep(out);
    let isConnected = false;
    out.setTimeout(CONNECT_MS, () => !isConnected && out.destroy());
    out.on('error', () => undefined);
    out.on('close', () => (isConnected ? socket.destroy() : socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')));
    socket.on('close', () => out.destroy());
    out.once('connect', () => {
      isConnected = true;
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      this.#count(out, () => out.destroy());
      out.pipe(socket);
      socket.pipe(out);
    });
  }

  #isAllowed(url: URL): boolean {
    const endpoint = `${url.hostname}:${url.port || 80}`;
    const isAllowed = this.#allowed.has(endpoint) && !this.isFull;
    if (!isAllowed && this.refused.size < 1_000) this.refused.add(endpoint);
    return isAllowed;
  }

  /** A name that looks public must not lead to a private address. */
  #target(url: URL) {
    const expectAllowed = (name: string, address: string) => {
      if (!isPrivateHost(url) && isPrivateAddress(address)) throw new Error(`${name} has the private address ${address}.`);
    };
    const literal = nameOf(url);
    return isIP(literal) ? {} : { lookup: checkedLookup(this.#resolve, expectAllowed) };
  }

  #count(stream: Duplex | IncomingMessage, end: () => void): void {
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.isFull) end();
    });
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** An address without a port may also be reached encrypted, but not the other way round. */
function portsOf({ protocol, port }: URL): number[] {
  if (port !== '') return [Number(port)];
  return protocol === 'https:' ? [443] : [80, 443];
}

function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'the connection was refused.' : error.message || code || 'unknown error';
}
