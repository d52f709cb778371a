/** The page that a run has open in its browser. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { PageAction, PageElement, PageView } from '../../../tools/network/browse.ts';
import type { HostProxy } from './host-proxy.ts';
import { PageEvents } from './page-events.ts';
import { isLargePage, largePageText } from './page-size.ts';

/** A failure whose message tells the model what to do. */
export class PageError extends Error {}

const LOAD_MS = 30_000;
const ACTION_MS = 10_000;
/** How long a page may take to react to a click before it is read. */
const REACTION_MS = 300;
const QUIET_MS = 2_000;
const MAX_CHARS = 500_000;
const MAX_TITLE = 500;
const VIEWPORT = { width: 1280, height: 800 };

type Open = { page: Page; events: PageEvents };

export class BrowserPage {
  readonly #browser: Browser;
  readonly #proxy: HostProxy;
  #context: BrowserContext | undefined;
  #open: Open | undefined;
  #closedBecause: string | undefined;

  constructor(browser: Browser, proxy: HostProxy) {
    this.#browser = browser;
    this.#proxy = proxy;
  }

  get isGone(): boolean {
    return this.#open === undefined;
  }

  /** @throws PageError if the page was closed meanwhile */
  async act(action: PageAction): Promise<PageView> {
    try {
      return await (action.do === 'open' ? this.#openPage(new URL(action.url), action.hosts) : this.#use(action));
    } catch (error) {
      if (this.#open || !this.#closedBecause) throw error;
      throw new PageError(`${this.#closedBecause} Open a page first.`);
    }
  }

  async #use(action: Exclude<PageAction, { do: 'open' }>): Promise<PageView> {
    const open = this.#open;
    if (!open) throw new PageError('No page is open. Open a page first.');
    switch (action.do) {
      case 'read':
        return this.#view(open);
      case 'console':
        return { ...(await this.#facts(open)), lines: open.events.lines };
      case 'screenshot': {
        if (action.element) await (await this.#locate(open, action.element)).scrollIntoViewIfNeeded({ timeout: ACTION_MS });
        const bytes = await open.page.screenshot({ type: 'jpeg', quality: 75, timeout: ACTION_MS });
        return { ...(await this.#facts(open)), image: { mediaType: 'image/jpeg', data: bytes.toString('base64') } };
      }
      case 'click':
        await (await this.#locate(open, action.element)).click({ timeout: ACTION_MS });
        return this.#viewAfter(open);
      case 'type': {
        const element = await this.#locate(open, action.element);
        await element.fill(action.text, { timeout: ACTION_MS });
        if (action.submit) await element.press('Enter', { timeout: ACTION_MS });
        return this.#viewAfter(open);
      }
    }
  }

  /** Closes the page, for example because it does not answer. */
  closePage(why?: string): void {
    this.#closedBecause = why;
    const open = this.#open;
    this.#open = undefined;
    void open?.page.close().catch(() => undefined);
  }

  async #openPage(url: URL, hosts: readonly string[]): Promise<PageView> {
    this.closePage();
    this.#proxy.allow(url, hosts);
    // Cookies last as long as the run, so that a page of a program can be used after signing in to it.
    this.#context ??= await this.#browser.newContext({
      viewport: VIEWPORT,
      serviceWorkers: 'block',
      acceptDownloads: false,
      reducedMotion: 'reduce',
    });
    const page = await this.#context.newPage();
    const open: Open = { page, events: new PageEvents(page, (why) => this.#open === open && this.closePage(why)) };
    this.#open = open;
    page.on('close', () => this.#open === open && this.closePage('The page closed itself.'));
    const response = await page.goto(url.href, { waitUntil: 'commit', timeout: LOAD_MS }).catch((error: Error) => {
      if (this.#open === open) this.closePage();
      throw new PageError(`${url.href.slice(0, MAX_TITLE)} could not be opened: ${reasonOf(error)}`);
    });
    const isLoaded = await page.waitForLoadState('domcontentloaded', { timeout: ACTION_MS }).then(
      () => true,
      () => false,
    );
    await this.#settle(page);
    const view = await this.#view(open);
    const notices = isLoaded ? view.notices : ['The page has not finished loading.', ...view.notices];
    return { ...view, notices, ...(response && { status: response.status() }) };
  }

  async #viewAfter(open: Open): Promise<PageView> {
    await new Promise((resolve) => setTimeout(resolve, REACTION_MS));
    await this.#settle(open.page);
    return this.#view(open);
  }

  /** Waits until a page that loads further has loaded, but not for a page that never stops loading. */
  async #settle(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS }).catch(() => undefined);
  }

  async #view(open: Open): Promise<PageView> {
    const isLarge = await isLargePage(open.page);
    const text = isLarge ? await largePageText(open.page) : await open.page.ariaSnapshot({ mode: 'ai', timeout: ACTION_MS });
    return { ...(await this.#facts(open)), text: text.slice(0, MAX_CHARS), ...(isLarge && { isLarge }) };
  }

  async #facts({ page, events }: Open): Promise<Pick<PageView, 'url' | 'title' | 'notices'>> {
    const title = (await page.title()).slice(0, MAX_TITLE);
    return { url: page.url().slice(0, MAX_TITLE), title, notices: [...this.#refusals(events), ...events.takeNotices()] };
  }

  #refusals({ hosts }: PageEvents): string[] {
    const full = this.#proxy.isFull ? ['The page loads too much, so nothing more is loaded.'] : [];
    const refused = [...this.#proxy.refused].filter((host) => hosts.has(host)).map((host) => host.replace(/:(80|443)$/, ''));
    if (refused.length === 0 || full.length > 0) return full;
    const shown = refused.slice(0, 10).join(', ');
    const more = refused.length > 10 ? ` and ${refused.length - 10} more` : '';
    return [`Blocked requests of the page to other hosts: ${shown}${more}. If it needs them, open it again with these hosts.`];
  }

  /** The element must still be the one that the text of the page named, because the user may have approved the call by its name. */
  async #locate({ page }: Open, { ref, role, name }: PageElement): Promise<Locator> {
    const element = page.getByRef(ref);
    const named = () => element.and(page.getByRole(role as 'button', name === undefined ? {} : { name, exact: true }));
    // An element without a role of its own is known by its text.
    const same = role !== 'generic' ? named() : name === undefined ? element : element.filter({ hasText: name });
    if ((await same.count()) === 1) return same;
    throw new PageError(`The page has changed: ${ref} is no longer the same element. Read the page again.`);
  }
}

export function reasonOf(error: Error): string {
  const [first = ''] = error.message.replace(/^[\w.]+: /, '').split('\n');
  const net = /net::(ERR_\w+)/.exec(first)?.[1];
  if (net === 'ERR_TUNNEL_CONNECTION_FAILED') return 'the host did not answer, or has a private address. Check the address.';
  if (/Timeout \d+ms exceeded/.test(first))
    return 'it took too long. Try again, or read the page to see whether something covers the element.';
  return `${(net ?? first).slice(0, 300)}.`;
}
