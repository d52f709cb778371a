import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, STATES } from '../../support/panel-states.ts';

describe('the focus in the panel', () => {
  const panel = panelPage();
  let page: Page;
  const open = async (state: string) => {
    page = await panel.open(state);
  };
  const press = async (name: string | RegExp) => {
    const button = page.getByRole('button', { name, exact: typeof name === 'string' }).first();
    await button.focus();
    await page.keyboard.press('Enter');
  };
  /** Waits until the element with the focus has this name. */
  const isAt = (name: string) =>
    page.waitForFunction((wanted) => {
      const at = document.activeElement;
      return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').startsWith(wanted);
    }, name);

  it('returns to the question, and not to an answer, if the user’s words were not sent', async () => {
    await open('approval');
    await press('Reject…');
    await page.keyboard.press('Escape');
    await isAt('Approval: ');
    await open('plan-typed');
    await press('Ask for changes…');
    await page.keyboard.press('Escape');
    await isAt('Plan: ');
  });

  it('closes open parts with Escape before Escape stops the run', async () => {
    await open('approval');
    await press('More approval options');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await isAt('More approval options');
    assert.equal(await page.getByRole('button', { name: 'For this run' }).count(), 0);
    await open('question');
    await page.getByLabel('Another answer').fill('Neither');
    await page.keyboard.press('Escape');
    await isAt('Question: ');
    assert.deepEqual(await panel.posted(), []);
    await page.keyboard.press('Escape');
    assert.deepEqual(await panel.posted(), [{ type: 'stop' }]);
  });

  it('follows a step that was added, moved or removed', async () => {
    await open('plan-typed');
    await press('Edit plan');
    await press('Add step');
    await page.keyboard.type('Note it');
    assert.equal(await page.getByRole('group', { name: 'Step 5' }).getByLabel('What it does').inputValue(), 'Note it');
    await press('Move step 2 up');
    await isAt('Move step 1 down');
    await press('Remove step 1');
    await page.waitForFunction(() => document.activeElement?.closest('fieldset')?.textContent?.startsWith('Step 1'));
  });

  it('moves to the element that replaced an undone one', async () => {
    await open('changed');
    await press('Undo run');
    await deliver(page, STATES.undone?.messages.slice(1) ?? []);
    await isAt('Review');
  });

  it('is in the composer when a new session begins', async () => {
    await open('changed');
    await page.getByRole('textbox', { name: /^Prompt/ }).fill('/new');
    await page.keyboard.press('Enter');
    await isAt('Prompt (Agent mode)');
  });

  it('stays where the user left it', async () => {
    await open('changed');
    await page.getByRole('button', { name: 'Review' }).focus();
    // Below the composer, where nothing takes the focus.
    await page.mouse.click(4, 796);
    await deliver(page, [host('agent'), ...(STATES.undone?.messages.slice(1) ?? [])]);
    await page.getByRole('heading', { name: '1 of 2 files restored' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  });
});
