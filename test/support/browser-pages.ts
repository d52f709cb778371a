/** A real HTTP server with pages for the tests of the browser tool, and the browser that opens them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from '../../scripts/chromium.ts';
import type { TextPart } from '../../src/core/model/messages.ts';
import type { PreparedCall, ToolOutput } from '../../src/core/run/tool.ts';
import { RunBrowser } from '../../src/hosts/node/browser/run-browser.ts';
import { browseTool } from '../../src/tools/network/browse.ts';
import { executeContext } from './context.ts';

export type Pages = Readonly<Record<string, string | ((response: ServerResponse, url: URL) => void)>>;
export type PageServer = { port: number; host: string; asked: string[]; at(path: string, host?: string): string; close(): Promise<void> };

/** Serves HTML by path on this computer. `asked` are the requested URLs with their hosts. */
export async function servePages(pages: Pages): Promise<PageServer> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const page = pages[url.pathname];
    if (typeof page === 'function') return page(response, url);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page === undefined ? 'missing' : `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${page}`);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `localhost:${port}`,
    asked,
    at: (path, host = 'localhost') => `http://${host}:${port}${path}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type BrowserSession = {
  browser: RunBrowser;
  prepare(input: Record<string, unknown>): Promise<PreparedCall>;
  execute(call: PreparedCall, signal?: AbortSignal): Promise<ToolOutput & { text: string }>;
  /** Prepares and executes a call. */
  use(input: Record<string, unknown>): Promise<ToolOutput & { text: string }>;
  close(): Promise<void>;
};

const never = new AbortController().signal;

/** Returns the tool with a real browser. */
export async function browserSession(): Promise<BrowserSession> {
  const data = mkdtempSync(join(tmpdir(), 'kedge-test-browser-'));
  const browser = new RunBrowser({ data, path: await ensureChromium(() => undefined) });
  const tool = browseTool(browser);
  const prepare = (input: Record<string, unknown>) => tool.prepare(input, never);
  const execute = async (call: PreparedCall, signal = never) => {
    const output = await call.execute(executeContext(signal));
    const text = typeof output.content === 'string' ? output.content : (output.content[0] as TextPart).text;
    return { ...output, text };
  };
  return {
    browser,
    prepare,
    execute,
    use: async (input) => execute(await prepare(input)),
    async close() {
      await browser.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Returns the ref of an element in the text of a page. */
export function refOf(text: string, element: string): string {
  const ref = new RegExp(`${element}.*?\\[ref=(\\w+)\\]`).exec(text)?.[1];
  if (!ref) throw new Error(`There is no ${element} in ${text}`);
  return ref;
}
