import type { Locator, Page } from 'playwright-core';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { findChrome, type Gallery, openGallery } from './panel-gallery.ts';
import { settled } from './panel-settled.ts';
import { STATES } from './panel-states.ts';

const LOCATOR_ACTIONS = [
  'check',
  'clear',
  'click',
  'dblclick',
  'fill',
  'focus',
  'hover',
  'press',
  'pressSequentially',
  'selectOption',
  'uncheck',
];
const KEYBOARD_ACTIONS = ['insertText', 'press', 'type'];

type Action = (this: object, ...args: unknown[]) => Promise<unknown>;

const patched = new WeakSet<object>();

/**
 * The panel renders in the frame after a click or a key press. On a busy machine, a test could look at it before that. Therefore, each of
 * Playwright's actions also waits until the panel has rendered and its effects have run.
 */
function waitAfterActions(page: Page): void {
  const patch = (target: object, names: string[], pageOf: (target: object) => Page) => {
    if (patched.has(target)) return;
    patched.add(target);
    const actions = target as Record<string, Action>;
    for (const name of names) {
      const action = actions[name];
      if (!action) throw new Error(`Playwright has no action "${name}".`);
      actions[name] = async function (...args) {
        const result = await action.apply(this, args);
        await settled(pageOf(this));
        return result;
      };
    }
  };
  patch(page.keyboard, KEYBOARD_ACTIONS, () => page);
  patch(Object.getPrototypeOf(page.locator('body')), LOCATOR_ACTIONS, (locator) => (locator as Locator).page());
}

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

  const show = async (messages: ToPanel[]): Promise<Page> => {
    page = await (gallery as Gallery).open(messages, { page });
    waitAfterActions(page);
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
    /** Returns the actions that the panel has sent since it was ready. The ids of prompts, which are random, are left out. */
    async posted(): Promise<{ type: string }[]> {
      const messages = await sent();
      return messages
        .filter(({ type }) => type !== 'ready' && type !== 'find_agents')
        .map(({ type, id, ...rest }) => (type === 'prompt' ? { type, ...rest } : { type, ...(id !== undefined && { id }), ...rest }));
    },
    /** Returns the ids of the prompts that the panel has sent. */
    async promptIds(): Promise<string[]> {
      return (await sent()).flatMap(({ type, id }) => (type === 'prompt' && id !== undefined ? [id] : []));
    },
  };
}
