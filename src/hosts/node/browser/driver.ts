/**
 * The process that controls the browser. It is an entry point of its own: it ends the browser and removes its profile when Kedge ends, even
 * if Kedge was killed, and a page that fills the memory ends only this process.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { BrowserPage, PageError, reasonOf } from './browser-page.ts';
import { HostProxy } from './host-proxy.ts';
import type { DriverAnswer, DriverOptions, DriverRequest } from './messages.ts';

/** How long an action may take before the page is closed, and how long the browser may take to end. */
const OPEN_MS = 60_000;
const ACTION_MS = 20_000;
const CLOSE_MS = 3_000;
const NAME = 'kedge-browser-';

const FLAGS = [
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--disable-dev-shm-usage',
  // Everything goes through the proxy, so the browser itself resolves no name and sends no packet.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

const options = JSON.parse(process.argv[2] ?? '{}') as DriverOptions;
const temporary = tmpdir();
removeStale(temporary);
/** Playwright creates the profile below the directory for temporary files. */
const directory = mkdtempSync(join(temporary, `${NAME}${process.pid}-`));
for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = directory;

const proxy = new HostProxy();
let starting: Promise<BrowserPage> | undefined;
let browser: Browser | undefined;
let isEnding = false;

async function start(): Promise<BrowserPage> {
  const { chromium } = (await import(pathToFileURL(join(options.library, 'index.mjs')).href)) as typeof import('playwright-core');
  browser = await chromium.launch({
    executablePath: options.executable,
    // Chromium has no sandbox for the administrator of Linux.
    chromiumSandbox: !(process.platform === 'linux' && process.getuid?.() === 0),
    proxy: { server: await proxy.listen(), bypass: '<-loopback>' },
    args: FLAGS,
    // Windows that no click has asked for are not opened at all.
    ignoreDefaultArgs: ['--disable-popup-blocking'],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 30_000,
    // The socket of the browser needs a short path.
    env: { ...(process.env as Record<string, string>), ...withoutOpeners(), ...(directory.length > 50 && { TMPDIR: temporary }) },
  });
  browser.on('disconnected', () => void end());
  return new BrowserPage(browser, proxy);
}

/** On Linux, Chrome opens a `mailto:` address of a page with these programs, without a question. It finds programs that do nothing instead. */
function withoutOpeners(): { PATH?: string } {
  const nothing = ['/bin/true', '/usr/bin/true', '/run/current-system/sw/bin/true'].find((path) => existsSync(path));
  if (process.platform !== 'linux' || !nothing) return {};
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  for (const name of ['xdg-open', 'xdg-email']) symlinkSync(nothing, join(programs, name));
  return { PATH: [programs, process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter) };
}

/** Thrown when the page, for example because of an endless loop, does not answer. */
class LateError extends PageError {
  constructor() {
    super('The page did not answer in time, so it was closed. Open it again.');
  }
}

async function answer({ id, action }: DriverRequest): Promise<void> {
  let page: BrowserPage | undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError()), action.do === 'open' ? OPEN_MS : ACTION_MS);
  });
  try {
    starting ??= start().catch((error: Error) => {
      throw new PageError(`The browser could not be started: ${startFailure(error)}`);
    });
    page = await starting;
    send({ id, view: await Promise.race([page.act(action), late]), isGone: page.isGone });
  } catch (error) {
    if (error instanceof LateError) page?.closePage('The page did not answer in time, so it was closed.');
    const problem = error instanceof PageError ? error.message : `The browser could not do this: ${reasonOf(error as Error)}`;
    send({ id, problem, isGone: page?.isGone ?? true });
    if (!page) void end();
  } finally {
    clearTimeout(timer);
  }
}

function startFailure({ message }: Error): string {
  if (/sandbox/i.test(message)) return 'it has no sandbox here. Chromium needs user namespaces, or another user than root.';
  return (
    message
      .split('\n', 1)[0]
      ?.replace(/^[\w.]+: /, '')
      .slice(0, 300) ?? ''
  );
}

function send(message: DriverAnswer): void {
  if (process.connected) process.send?.(message);
}

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  proxy.close();
  const force = setTimeout(exit, CLOSE_MS);
  await browser?.close().catch(() => undefined);
  clearTimeout(force);
  exit();
}

/** Playwright kills a browser that still runs when the process exits, so its profile is removed after that. */
function exit(): void {
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  process.exit(0);
}

/** Removes the profiles of processes that were killed before they could do it. */
function removeStale(parent: string): void {
  for (const name of namesIn(parent)) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1];
    if (!pid || isRunning(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch {
    // It may be allowed to create files there, but not to list them.
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

process.on('message', (request: DriverRequest) => void answer(request));
// Kedge has ended, or needs no browser any longer.
process.on('disconnect', () => void end());
process.on('SIGTERM', () => void end());
// A terminal sends this to Kedge, too, which then ends this process.
process.on('SIGINT', () => undefined);
process.on('unhandledRejection', () => undefined);
