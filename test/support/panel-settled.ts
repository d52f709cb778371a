/** Waits until the panel has rendered, as its pages and other parts load their code only when they are shown. */
import type { Page } from 'playwright-core';

const requested = new WeakMap<Page, Set<string>>();

/** Notes which scripts `page` requests from now on. */
export function watchScripts(page: Page): void {
  const urls = new Set<string>();
  requested.set(page, urls);
  page.on('request', (request) => {
    if (request.resourceType() === 'script') urls.add(request.url());
  });
}

/** Forgets the scripts of the document that `page` leaves. */
export function forgetScripts(page: Page): void {
  requested.get(page)?.clear();
}

/** Waits until `page` has rendered, its effects have run, and each script that it requested has run and is rendered as well. */
export async function settled(page: Page): Promise<void> {
  for (let known = -1; ; ) {
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(undefined))))),
    );
    const urls = [...(requested.get(page) ?? [])];
    if (urls.length === known) return;
    known = urls.length;
    // A module is never run twice: importing it again waits until it has run.
    await page.evaluate((list) => Promise.all(list.map((url) => import(url).catch(() => undefined))).then(() => undefined), urls);
  }
}
