/**
 * Shows the panel in a plain browser with a fake host, under the content security policy of the editor's webview. `node
 * test/support/panel-gallery.ts [state ...]` takes screenshots into out/gallery, runs axe and measures streaming. `--zoom=1.5` takes only
 * screenshots, as VS Code shows the panel when its window is zoomed in to 150 %.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { panelFiles } from './panel-files.ts';
import { forgetScripts, settled, watchScripts } from './panel-settled.ts';
import { host, type NamedState, Script, STATES, session } from './panel-states.ts';
import { BODY_CLASS, THEMES, type Theme } from './panel-themes.ts';

const OUT = join(import.meta.dirname, '..', '..', 'out', 'gallery');
const WIDTHS = [300, 600];
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2', '.html': 'text/html' };

const POLICY = "default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; script-src 'nonce-kedge'";

declare global {
  interface Window {
    posted: unknown[];
    deliver(messages: unknown[]): Promise<void>;
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

export type Gallery = AsyncDisposable & {
  browser: Browser;
  scriptBytes: number;
  /** Opens the panel and delivers `messages` to it: in `page`, which loses what it displayed, or in a new page. */
  open(messages: ToPanel[], options?: OpenOptions): Promise<Page>;
};

type OpenOptions = { width?: number; height?: number; theme?: Theme; page?: Page | undefined };

/** With a zoom, the panel has the same pixels, and so fewer pixels of CSS. */
export async function openGallery(zoom = 1): Promise<Gallery> {
  const files = await panelFiles();
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html';
    const body = files[name];
    response.writeHead(body ? 200 : 404, {
      'content-type': TYPES[extname(name)] ?? 'text/plain',
      'content-security-policy': POLICY,
      // If the browser may cache a file, it keeps the file in compiled form.
      'cache-control': 'max-age=86400',
    });
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
      '--renderer-process-limit=1',
    ],
  });
  // All pages share a process, which this page keeps. Starting a process and compiling the panel takes several times as long as a test.
  const context = await browser.newContext({ deviceScaleFactor: zoom });
  const url = `http://127.0.0.1:${port}/`;
  await (await context.newPage()).goto(url);
  const newPage = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    watchScripts(page);
    page.on('pageerror', (error) => console.error(`page error: ${error.message}`));
    page.on('console', (message) => {
      // While Mermaid measures a diagram, the policy blocks its inline styles. The drawn image has its own.
      const isMeasuring = message.text().startsWith('Applying inline style violates');
      if (message.type() === 'error' && !isMeasuring) console.error(`console: ${message.text()}`);
    });
    return page;
  };
  let opened = 0;
  return {
    browser,
    scriptBytes: Object.entries(files).reduce((sum, [name, { length }]) => sum + (/^panel(?:-chunk-\w+)?\.js$/.test(name) ? length : 0), 0),
    async open(messages, { width = 400, height = 800, theme = 'dark', page: used } = {}) {
      const page = used ?? (await newPage());
      // The pointer of an earlier test must not hover anything.
      if (used) await used.mouse.move(-1, -1);
      await page.setViewportSize({ width: Math.round(width / zoom), height: Math.round(height / zoom) });
      forgetScripts(page);
      // The state that the panel stores belongs to the address, so it survives a reload and nothing else.
      await page.goto(`${url}?${++opened}`);
      await page.evaluate(
        ({ theme, set }) => {
          document.documentElement.dataset.theme = theme;
          document.body.className = set;
        },
        { theme, set: BODY_CLASS[theme] },
      );
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
  await page.evaluate((list) => window.deliver(list), messages);
  await settled(page);
}

export async function show(gallery: Gallery, state: NamedState, options: OpenOptions): Promise<Page> {
  const page = await gallery.open(state.messages, options);
  if (state.waitFor) await page.locator(state.waitFor).first().waitFor({ state: 'attached' });
  if (state.type) await page.getByRole('textbox').or(page.getByRole('searchbox')).last().pressSequentially(state.type);
  for (const name of state.press ?? []) {
    const role = (role: 'button' | 'checkbox' | 'slider') => page.getByRole(role, { name });
    await role('button').or(role('checkbox')).or(role('slider')).first().click();
  }
  return page;
}

const PAGES_AT_ONCE = 4;
/** The color rules that axe runs by default. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns axe's serious and critical findings over every state, and what the keyboard does not reach, one line each. Themes only change
 * colors, so all other rules run once.
 */
export async function runAxe(names: string[] = Object.keys(STATES), shared?: Gallery): Promise<string[]> {
  await using own = shared ? undefined : await openGallery();
  const gallery = shared ?? (own as Gallery);
  const found: string[][] = [];
  const rest = names.entries();
  const lookAtRest = async () => {
    let page: Page | undefined;
    for (const [index, name] of rest) {
      page = await show(gallery, STATES[name] as NamedState, { width: 360, height: 800, theme: THEMES[0] as Theme, page });
      await loadAxe(page);
      const lines = (await mouseOnly(page)).map((element) => `${name}: only the mouse reaches ${element}`);
      for (const theme of THEMES) lines.push(...(await findings(page, theme)).map((finding) => `${name} (${theme}): ${finding}`));
      found[index] = lines;
    }
    await page?.close();
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, lookAtRest));
  return found.flat();
}

/** Loads axe by its address, because the browser then compiles it once for all pages. */
async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement('script'), { nonce: 'kedge', src: 'axe.js', onload: resolve, onerror: reject });
      document.head.append(script);
    }).then(() => undefined),
  );
}

/**
 * Returns the visible elements that react to clicks but cannot be reached by keyboard. Inside a composite such as a list, the arrow keys lead
 * from one element to the others. Preact keeps the handlers of an element in `__a`.
 */
function mouseOnly(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const reachable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const composites = '[role=listbox], [role=tree], [role=radiogroup], [role=toolbar], [role=menu]';
    const isUsable = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]') && !element.matches(':disabled');
    const inTabOrder = (element: Element) => element.matches(reachable) && (element as HTMLElement).tabIndex >= 0 && isUsable(element);
    // The arrow keys of the input that a list completes move in the list.
    const isInComposite = (element: Element) => {
      const composite = element.closest(composites);
      if (!composite) return false;
      return [...composite.querySelectorAll('*')].some(inTabOrder) || document.querySelector(`[aria-controls="${composite.id}"]`) !== null;
    };
    const isClickable = (element: Element & { __a?: object }) =>
      element.matches('button, input, select, summary, a[href]') ||
      Object.keys(element.__a ?? {}).some((name) => /^on(click|mousedown)/i.test(name));
    return [...document.querySelectorAll('*')]
      .filter((element) => isUsable(element) && isClickable(element) && !inTabOrder(element) && !isInComposite(element))
      .map((element) => element.outerHTML.slice(0, 120));
  });
}

async function findings(page: Page, theme: Theme): Promise<string[]> {
  const { violations } = await page.evaluate(
    async ({ theme, options, set }) => {
      document.documentElement.dataset.theme = theme;
      document.body.className = set;
      return window.axe.run({ ...options, resultTypes: ['violations'] });
    },
    { theme, set: BODY_CLASS[theme], options: theme === THEMES[0] ? {} : { runOnly: COLOUR_RULES } },
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

/** Returns the CPU time of the longest task on the page's main thread, in milliseconds. */
export function longestCpu(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const frame = traceEvents.find(({ name }) => name === 'FireAnimationFrame');
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && pid === frame?.pid && tid === frame.tid,
  );
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

async function takeScreenshots(gallery: Gallery, names: string[], suffix = ''): Promise<void> {
  await mkdir(OUT, { recursive: true });
  let page: Page | undefined;
  for (const name of names) {
    for (const width of WIDTHS) {
      for (const theme of THEMES) {
        page = await show(gallery, STATES[name] as NamedState, { width, height: 760, theme, page });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) console.error(`${name} at ${width} px overflows by ${overflow} px`);
        await page.screenshot({ path: join(OUT, `${name}-${width}-${theme}${suffix}.png`) });
      }
    }
  }
  await page?.close();
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { zoom: { type: 'string', default: '1' } } });
  const names = positionals.length ? positionals : Object.keys(STATES);
  const zoom = Number(values.zoom);
  await using gallery = await openGallery(zoom);
  console.log(`the script of the panel: ${(gallery.scriptBytes / 1024).toFixed(1)} KB`);
  await takeScreenshots(gallery, names, zoom === 1 ? '' : `-zoom-${zoom}`);
  if (zoom === 1) {
    const found = await runAxe(names, gallery);
    console.log(found.length ? found.join('\n') : 'axe: nothing serious');
    console.log('10,000 deltas, blocks:', await measurePanel(10_000, PIECES, gallery));
    console.log('10,000 deltas, one paragraph:', await measurePanel(10_000, ['word '], gallery));
  }
}
