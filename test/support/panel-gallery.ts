/**
 * Shows the panel in a plain browser with a fake host, under the content security policy of the editor's webview. `node
 * test/support/panel-gallery.ts [state ...]` takes screenshots into out/gallery, runs axe and measures streaming.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, extname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, STATES, session } from './panel-states.ts';
import { THEMES, type Theme, themeCss } from './panel-themes.ts';

const OUT = join(import.meta.dirname, '..', '..', 'out', 'gallery');
const ENTRY = join(import.meta.dirname, '..', '..', 'webview-ui', 'main.tsx');
const WIDTHS = [300, 600];
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf', '.html': 'text/html' };

const PAGE = `<!doctype html>
<html lang="en" data-theme="dark">
<head><meta charset="utf-8"><title>Kedge</title><link rel="stylesheet" href="theme.css"><link rel="stylesheet" href="panel.css"></head>
<body>
<div id="kedge-panel"></div>
<script nonce="kedge">
  window.posted = [];
  let state = JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined;
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.posted.push(structuredClone(message)),
    getState: () => state,
    setState: (next) => { state = next; sessionStorage.setItem('state', JSON.stringify(next)); },
  });
  window.deliver = (messages) => { for (const message of messages) window.postMessage(message, '*'); };
</script>
<script nonce="kedge" src="panel.js"></script>
</body></html>`;

const POLICY = "default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; script-src 'nonce-kedge'";

declare global {
  interface Window {
    posted: unknown[];
    deliver(messages: unknown[]): void;
    axe: { run(options: { runOnly?: string[]; resultTypes?: string[] }): Promise<{ violations: Violation[] }> };
  }
}

type Violation = { id: string; impact: string | null; help: string; nodes: { target: string[] }[] };

export type PanelFigures = {
  longestTaskMs: number;
  longestTaskCpuMs: number;
  longestFrameMs: number;
  totalMs: number;
  scriptBytes: number;
};

export function findChrome(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = [process.env.CHROME_PATH, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))].find(
    (path) => path && existsSync(path),
  );
  if (!found) throw new Error('No Chromium was found: install one, or set CHROME_PATH to it.');
  return found;
}

async function build(): Promise<Record<string, string | Uint8Array>> {
  const { outputFiles } = await esbuild.build({
    entryPoints: { panel: ENTRY },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    outdir: OUT,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
  });
  const files = outputFiles.map(({ path, contents }) => [path.slice(OUT.length + 1), contents] as const);
  return { ...Object.fromEntries(files), 'theme.css': themeCss(), 'index.html': PAGE };
}

export type Gallery = AsyncDisposable & {
  browser: Browser;
  scriptBytes: number;
  /** Opens a page with the panel and delivers `messages` to it. */
  open(messages: ToPanel[], options?: { width?: number; height?: number; theme?: Theme }): Promise<Page>;
};

export async function openGallery(): Promise<Gallery> {
  const files = await build();
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html';
    const body = files[name];
    response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(name)] ?? 'text/plain', 'content-security-policy': POLICY });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: findChrome(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    browser,
    scriptBytes: (files['panel.js'] as Uint8Array).byteLength,
    async open(messages, { width = 400, height = 800, theme = 'dark' } = {}) {
      const page = await browser.newPage({ viewport: { width, height } });
      page.setDefaultTimeout(120_000);
      page.on('pageerror', (error) => console.error(`page error: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') console.error(`console: ${message.text()}`);
      });
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name;
      }, theme);
      await deliver(page, messages);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.close();
    },
  };
}

/** Delivers messages and waits until they are painted. */
export async function deliver(page: Page, messages: ToPanel[]): Promise<void> {
  await page.evaluate((list) => {
    window.deliver(list);
    return new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 50));
  }, messages);
}

async function show(gallery: Gallery, state: NamedState, options: { width: number; height: number; theme: Theme }): Promise<Page> {
  const page = await gallery.open(state.messages, options);
  if (state.type) await page.getByRole('textbox').last().pressSequentially(state.type);
  for (const name of state.press ?? []) await page.getByRole('button', { name }).or(page.getByRole('checkbox', { name })).first().click();
  return page;
}

const PAGES_AT_ONCE = 4;
/** The color rules that axe runs by default. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns axe's serious and critical findings over every state, one line each. Themes only change colors, so all other rules run once. */
export async function runAxe(names: string[] = Object.keys(STATES), shared?: Gallery): Promise<string[]> {
  await using own = shared ? undefined : await openGallery();
  const gallery = shared ?? (own as Gallery);
  const axe = await readFile(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
  const look = async (name: string) => {
    const page = await show(gallery, STATES[name] as NamedState, { width: 360, height: 800, theme: THEMES[0] as Theme });
    // The script is injected over the debugger connection, to which the content security policy of the page does not apply.
    await page.evaluate(axe);
    const found: string[] = [];
    for (const theme of THEMES) found.push(...(await findings(page, theme)).map((finding) => `${name} (${theme}): ${finding}`));
    await page.close();
    return found;
  };
  const found: string[][] = [];
  for (let at = 0; at < names.length; at += PAGES_AT_ONCE)
    found.push(...(await Promise.all(names.slice(at, at + PAGES_AT_ONCE).map(look))));
  return found.flat();
}

async function findings(page: Page, theme: Theme): Promise<string[]> {
  const { violations } = await page.evaluate(
    async ({ theme, options }) => {
      document.documentElement.dataset.theme = theme;
      return window.axe.run({ ...options, resultTypes: ['violations'] });
    },
    { theme, options: theme === THEMES[0] ? {} : { runOnly: COLOUR_RULES } },
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => {
      const targets = nodes.slice(0, 3).map(({ target }) => target.join(' '));
      return `${id}: ${help}: ${targets.join(', ')}`;
    });
}

const PIECES = [
  'The tide ',
  'turns at `src/tide.ts:12` ',
  'and **then** ',
  'falls.\n\n',
  '- an item ',
  'of a list\n',
  '```ts\nconst x = 1;\n```\n\n',
  'More words ',
  'come. ',
];

/**
 * Streams `deltas` text deltas like a host and watches the page's main thread. The browser reports tasks of 50 ms and more; without any,
 * `longestTaskMs` is 0. `longestTaskCpuMs` is the CPU time of the longest task.
 */
export async function measurePanel(deltas = 10_000, pieces: string[] = PIECES, shared?: Gallery): Promise<PanelFigures> {
  await using own = shared ? undefined : await openGallery();
  const gallery = shared ?? (own as Gallery);
  const script = new Script().run('ask', 'Tell me about tides').turn();
  const page = await gallery.open([host('ask'), session(script, true)]);
  await gallery.browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  const figures = await page.evaluate(
    async ({ deltas, pieces, seq }) => {
      let longestTaskMs = 0;
      let longestFrameMs = 0;
      let before = performance.now();
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, entry.duration);
      }).observe({ type: 'longtask' });
      const frame = (now: number) => {
        longestFrameMs = Math.max(longestFrameMs, now - before);
        before = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      const start = performance.now();
      await new Promise<void>((resolve) => {
        let sent = 0;
        const timer = setInterval(() => {
          const events = [];
          for (let n = 0; n < 60 && sent < deltas; n++, sent++) {
            events.push({ type: 'text_delta', text: pieces[sent % pieces.length], runId: 'run-1', seq, at: 0 });
          }
          window.postMessage({ type: 'events', sessionId: 'session-1', running: true, events }, '*');
          if (sent < deltas) return;
          clearInterval(timer);
          resolve();
        }, 16);
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { longestTaskMs, longestFrameMs, totalMs: performance.now() - start - 200 };
    },
    { deltas, pieces, seq: script.events.length },
  );
  const longestTaskCpuMs = longestCpu(await gallery.browser.stopTracing());
  await page.close();
  return { ...figures, longestTaskCpuMs, scriptBytes: gallery.scriptBytes };
}

type TraceEvent = { name: string; ph: string; pid: number; tid: number; tdur?: number };

/** Returns milliseconds of the page's main thread. */
export function longestCpu(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const frame = traceEvents.find(({ name }) => name === 'FireAnimationFrame');
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && pid === frame?.pid && tid === frame.tid,
  );
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

async function takeScreenshots(gallery: Gallery, names: string[]): Promise<void> {
  await mkdir(OUT, { recursive: true });
  for (const name of names) {
    for (const width of WIDTHS) {
      for (const theme of THEMES) {
        if (theme === 'hc' && width !== 300) continue;
        const page = await show(gallery, STATES[name] as NamedState, { width, height: 760, theme });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) console.error(`${name} at ${width} px overflows by ${overflow} px`);
        await page.screenshot({ path: join(OUT, `${name}-${width}-${theme}.png`) });
        await page.close();
      }
    }
  }
}

if (import.meta.main) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(STATES);
  await using gallery = await openGallery();
  console.log(`panel.js ${(gallery.scriptBytes / 1024).toFixed(1)} KB`);
  await takeScreenshots(gallery, names);
  const found = await runAxe(names, gallery);
  console.log(found.length ? found.join('\n') : 'axe: nothing serious');
  console.log('10,000 deltas, blocks:', await measurePanel(10_000, PIECES, gallery));
  console.log('10,000 deltas, one paragraph:', await measurePanel(10_000, ['word '], gallery));
}
