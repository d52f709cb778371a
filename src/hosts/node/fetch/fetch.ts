/**
 * Fetches web pages. Every connection goes to exactly the address that was checked, even after a redirect. Node's HTTP modules are imported
 * when a request begins, because most runs fetch no page.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { ToolError } from '../../../core/run/tool.ts';
import type { Fetcher, Page } from '../../../tools/network/fetch-url.ts';
import { isPrivateAddress, isPrivateHost } from './address.ts';
import { checkedLookup, type Resolve, resolveName } from './checked-lookup.ts';
import { decodedText, isHtml, isText } from './text.ts';

export type PageFetcherOptions = {
  resolve?: Resolve;
  timeoutMs?: number;
  /** Whether an address is private, so that fetching it needs approval. */
  isPrivate?: (address: string) => boolean;
};

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2_000_000;
const MAX_HOPS = 5;
/** Pages are cached, so that reading a page in parts fetches it only once. */
const KEPT_PAGES = 5;
const KEPT_MS = 5 * 60_000;

const HEADERS = {
  'user-agent': 'Kedge',
  accept: 'text/html, text/plain, text/markdown, application/json, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

export class PageFetcher implements Fetcher {
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;
  readonly #isPrivate: (address: string) => boolean;
  readonly #cache = new Map<string, { page: Page; at: number }>();

  constructor({ resolve = resolveName, timeoutMs = TIMEOUT_MS, isPrivate = isPrivateAddress }: PageFetcherOptions = {}) {
    this.#isPrivate = isPrivate;
    this.#resolve = resolve;
    this.#timeoutMs = timeoutMs;
  }

  isPrivate(url: URL): boolean {
    return isPrivateHost(url);
  }

  async get(url: URL, { privateAllowed }: { privateAllowed: boolean }, signal: AbortSignal): Promise<Page> {
    const key = `${privateAllowed} ${url.href}`;
    const cached = this.#cache.get(key);
    if (cached && performance.now() - cached.at < KEPT_MS) return cached.page;
    const page = await this.#limited(url, signal, async (limited) => {
      const { at, response, moved } = await this.#follow(url, privateAllowed, limited);
      return moved ? { url: at.href, status: response.statusCode ?? 0, type: '', bytes: 0, moved: moved.href } : pageOf(at, response);
    });
    if (page.status < 400 && !page.moved) this.#addToCache(key, page);
    return page;
  }

  /** Limits the time of a request, and explains why it failed. */
  async #limited<T>(url: URL, signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await request(AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (signal.aborted || error instanceof ToolError) throw error;
      if (timeout.aborted)
        throw new ToolError(`${url.host} did not answer within ${this.#timeoutMs / 1_000} s. Try again later, or fetch another page.`);
      throw new ToolError(`${url.host} could not be read: ${reasonOf(error)}`);
    }
  }

  /** Returns the first response that is no redirect, or the target of a redirect that needs a new approval. */
  async #follow(first: URL, privateAllowed: boolean, signal: AbortSignal): Promise<{ at: URL; response: IncomingMessage; moved?: URL }> {
    let url = first;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const response = await this.#request(url, privateAllowed, signal);
      const next = redirection(url, response);
      if (!next) return { at: url, response };
      response.destroy();
      if (!privateAllowed && isPrivateHost(next))
        throw new ToolError(`${url.href} redirects to a private address, which was not followed: ${next.href}. Fetch another page.`);
      if (!isSameSite(url, next)) return { at: url, response, moved: next };
      url = next;
    }
    throw new ToolError(`${first.href} redirects more than ${MAX_HOPS} times. Fetch another page.`);
  }

  async #request(url: URL, privateAllowed: boolean, signal: AbortSignal): Promise<IncomingMessage> {
    const expectAllowed = (name: string, address: string) => {
      if (!privateAllowed && this.#isPrivate(address)) throw new PrivateAddress(name, address);
    };
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal)) expectAllowed(literal, literal);
    const pinned = checkedLookup(this.#resolve, expectAllowed);
    const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
    return new Promise((resolve, reject) => {
      // A reused connection might lead to an address that was never checked.
      request(url, { agent: false, lookup: pinned, signal, headers: HEADERS }, resolve).once('error', reject).end();
    });
  }

  /**
   * Returns the content as the server sends it. If it is longer than `most` bytes, one byte more is returned.
   * @throws ToolError when the request fails, also if the server answers with an error or has moved the content to another host
   */
  async download(url: URL, { privateAllowed, most }: { privateAllowed: boolean; most: number }, signal: AbortSignal): Promise<Uint8Array> {
    return this.#limited(url, signal, async (limited) => {
      const { at, response, moved } = await this.#follow(url, privateAllowed, limited);
      const { statusCode = 0 } = response;
      if (!moved && statusCode < 400) return (await bodyOf(response, most + 1)).bytes;
      response.destroy();
      throw new ToolError(moved ? `${at.href} redirects to another host: ${moved.href}` : `The server answered with HTTP ${statusCode}.`);
    });
  }

  #addToCache(key: string, page: Page): void {
    this.#cache.delete(key);
    this.#cache.set(key, { page, at: performance.now() });
    for (const old of this.#cache.keys()) if (this.#cache.size > KEPT_PAGES) this.#cache.delete(old);
  }
}

class PrivateAddress extends ToolError {
  constructor(name: string, address: string) {
    super(`${name} resolves to the private address ${address}, which was not approved. No request was sent. Fetch another page.`);
  }
}

/** Returns the target of a redirect. */
function redirection(url: URL, { statusCode = 0, headers }: IncomingMessage): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  const next = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : undefined;
  if (!next || !/^https?:$/.test(next.protocol))
    throw new ToolError(`${url.href} redirects to ${headers.location}, which is not a web address. Fetch another page.`);
  next.hash = '';
  return next;
}

/** The approval was for one host. Another host, or a downgrade to an unencrypted connection, needs a new approval. */
function isSameSite(from: URL, to: URL): boolean {
  const name = (url: URL) => url.hostname.replace(/^www\./, '');
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return name(from) === name(to) && (isUpgrade || (from.protocol === to.protocol && from.port === to.port));
}

async function pageOf(url: URL, response: IncomingMessage): Promise<Page> {
  const type = response.headers['content-type'] ?? '';
  const { bytes, isCut } = await bodyOf(response);
  const page = {
    url: url.href,
    status: response.statusCode ?? 0,
    type: type.split(';')[0]?.trim() ?? '',
    bytes: bytes.length,
    ...(isCut && { isCut }),
  };
  if (!isText(type, bytes)) return page;
  const text = decodedText(type, bytes);
  if (!isHtml(type, text)) return { ...page, text };
  const { markdownOf } = await import('./html.ts');
  return { ...page, text: markdownOf(text, url.href) };
}

async function bodyOf(response: IncomingMessage, most = MAX_BYTES): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await unpacked(response)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    // Leaving the loop closes the connection.
    if (size > most) break;
  }
  response.destroy();
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most };
}

async function unpacked(response: IncomingMessage): Promise<Readable> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const create = unpack[(response.headers['content-encoding'] ?? '').trim().toLowerCase() as keyof typeof unpack];
  if (!create) return response;
  const stream = create();
  response.once('error', (error) => stream.destroy(error));
  return response.pipe(stream);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host does not exist, or there is no network. Check the URL.';
  if (code === 'ECONNREFUSED') return 'the connection was refused. Check the URL, or try again later.';
  return `${(message || code || 'unknown error').replace(/\.$/, '')}. Try again later, or fetch another page.`;
}
