import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, STATES, session } from '../../support/panel-states.ts';

describe('the commands of the composer', function () {
  this.timeout(120_000);
  const panel = panelPage();
  /** The panel asks for the commands of prompt files when a slash is typed. */
  const posted = async () => (await panel.posted()).filter(({ type }) => type !== 'find_commands');
  const open = (change: Partial<PanelState> = {}) => panel.show([host('ask', change), session(new Script(), false)]);
  const box = (page: Page) => page.getByRole('textbox', { name: /^Prompt/ });
  const options = (page: Page) => page.getByRole('option').allTextContents();

  it('are listed after a slash at the start, with a word each, and completed by keyboard', async () => {
    const page = await open();
    await box(page).pressSequentially('/');
    const all = await options(page);
    assert.ok(all.length >= 9);
    assert.ok(all.includes('/planPropose a plan first'), all.join('\n'));
    await box(page).pressSequentially('re');
    assert.deepEqual(
      (await options(page)).map((text) => text.match(/^\/[a-z]+/)?.[0].slice(0, 4)),
      ['/rev', '/rem', '/rea'],
    );
    await page.keyboard.press('ArrowDown');
    assert.equal(
      await box(page).evaluate((element) => document.getElementById(element.getAttribute('aria-activedescendant') ?? '')?.textContent),
      '/rememberRemember something in later sessions',
    );
    await page.keyboard.press('Tab');
    assert.equal(await box(page).inputValue(), '/remember ');
    assert.deepEqual(await options(page), []);
    // They are no commands elsewhere.
    await box(page).fill('');
    await box(page).pressSequentially('see src/');
    assert.deepEqual(await options(page), []);
    assert.deepEqual(await posted(), []);
  });

  it('closes with Escape, and sends what was not a command', async () => {
    const page = await open();
    await box(page).pressSequentially('/pl');
    await page.keyboard.press('Escape');
    assert.deepEqual(await options(page), []);
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'prompt', text: '/pl', mode: 'ask', sessionId: 'session-1' }]);
  });

  it('change the mode, alone or with a message', async () => {
    const page = await open();
    await box(page).fill('/plan');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('radio', { name: 'Plan' }).isChecked(), true);
    await box(page).fill('/agent Fix it');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [
      { type: 'set_mode', mode: 'plan' },
      { type: 'set_mode', mode: 'agent' },
      // The extension knows whether the first word is the name of an agent.
      { type: 'prompt', text: '/agent Fix it', mode: 'agent', sessionId: 'session-1' },
    ]);
  });

  it('review the uncommitted changes, export, and undo', async () => {
    let page = await open();
    await box(page).fill('/review the tests');
    await page.keyboard.press('Enter');
    await box(page).fill('/undo');
    await page.keyboard.press('Enter');
    await page.getByText('No run of this session has changes').waitFor();
    await box(page).fill('/export');
    await page.keyboard.press('Enter');
    const [review, exported] = (await posted()) as { type: string; mode?: string; text?: string; mentions?: unknown }[];
    assert.deepEqual([review?.mode, review?.mentions], ['ask', [{ ref: { kind: 'changes' } }]]);
    assert.match(review?.text ?? '', /Review the uncommitted changes[\s\S]*the tests$/);
    assert.deepEqual(exported, { type: 'export_session' });
    page = await panel.open('changed');
    await box(page).fill('/undo');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'undo_run', runId: 'run-1' }]);
  });

  it('has the model, the files and the modes in the same box', async () => {
    const page = await open();
    const form = page.locator('.composer');
    await form.getByRole('button', { name: 'Attach files' }).press('Enter');
    await form.getByRole('button', { name: 'Model: gpt-6.1-sol. Choose a model' }).press('Enter');
    assert.deepEqual(await posted(), [{ type: 'pick_files' }, { type: 'pick_model' }]);
    assert.equal(await form.getByRole('radio').count(), 3);
  });

  it('suggests what fits the model and the workspace', async () => {
    const page = await open({ hasProblems: true, hasChanges: true });
    const labels = () => page.getByRole('list', { name: 'Suggestions' }).getByRole('button').allTextContents();
    assert.deepEqual((await labels()).slice(0, 2), ['Explain the problems', 'Review my changes']);
    await page.getByRole('button', { name: 'Explain the problems' }).click();
    const [first] = (await posted()) as { mentions?: unknown }[];
    assert.deepEqual(first?.mentions, [{ ref: { kind: 'problems' } }]);
    await deliver(page, [host('agent', { isOffline: true, hasProblems: true })]);
    assert.deepEqual(await labels(), ["Replace '…' with '…'", 'Create …']);
    await deliver(page, STATES.untrusted?.messages ?? []);
    assert.equal(await page.getByText('Restricted Mode: only Ask is available.').count(), 1);
  });
});
