import type { Page } from 'playwright-core';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { findChrome, type Gallery, openGallery } from './panel-gallery.ts';
import { STATES } from './panel-states.ts';

/** Provides the panel in a real browser to the calling test suite. The tests are skipped when there is no browser. */
export function panelPage() {
  let gallery: Gallery | undefined;
  let page: Page | undefined;
  before(async function () {
    try {
      findChrome();
    } catch {
      return this.skip();
    }
    gallery = await openGallery();
  });
  after(() => gallery?.[Symbol.asyncDispose]());
  afterEach(() => page?.close());

  const show = async (messages: ToPanel[]): Promise<Page> => {
    page = await (gallery as Gallery).open(messages);
    return page;
  };
  const sent = async (): Promise<{ type: string; id?: string }[]> =>
    JSON.parse((await page?.evaluate(() => JSON.stringify(window.posted))) ?? '[]');
  return {
    get browser() {
      return (gallery as Gallery).browser;
    },
    show,
    /** Displays one of the gallery's states. */
    open: (state: string) => show(STATES[state]?.messages ?? []),
    /** Returns the messages that the panel has sent since it was ready. The ids of prompts, which are random, are left out. */
    async posted(): Promise<{ type: string }[]> {
      const messages = await sent();
      return messages
        .filter(({ type }) => type !== 'ready')
        .map(({ type, id, ...rest }) => (type === 'prompt' ? { type, ...rest } : { type, ...(id !== undefined && { id }), ...rest }));
    },
    /** Returns the ids of the prompts that the panel has sent. */
    async promptIds(): Promise<string[]> {
      return (await sent()).flatMap(({ type, id }) => (type === 'prompt' && id !== undefined ? [id] : []));
    },
  };
}
