import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { asking } from '../../support/control-states.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

const lists = (texts: string[], deleted?: string): ToPanel => ({
  type: 'page',
  name: 'memory',
  data: {
    lists: [
      { scope: 'workspace', entries: texts.map((text, index) => ({ line: index + 1, text })) },
      { scope: 'user', entries: [] },
    ],
    ...(deleted && { deleted: { scope: 'workspace', text: deleted } }),
  },
});
const show: ToPanel = { type: 'show_page', name: 'memory' };

describe('the memory in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const memory = (page: Page) => page.getByRole('region', { name: 'Memory' });
  const posted = async (...types: string[]) => (await panel.posted()).filter(({ type }) => types.includes(type));

  it('is listed when it is asked for, has the focus, and is left with Escape', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false)]);
    await deliver(page, [lists(['a fact'])]);
    assert.equal(await memory(page).count(), 0, 'it is shown only when it is asked for');
    await deliver(page, [show]);
    await memory(page).waitFor();
    await deliver(page, [lists(['The tests run with make.'])]);
    assert.deepEqual(await posted('open_page'), [{ type: 'open_page', name: 'memory' }]);
    assert.ok(await memory(page).evaluate((element) => element === document.activeElement));
    assert.equal(await memory(page).getByRole('listitem').count(), 1);
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    const isInert = () => prompt.evaluate((element) => element.closest('[inert]') !== null);
    assert.equal(await isInert(), true, 'what is behind the page cannot be reached');
    await page.keyboard.press('Escape');
    await memory(page).waitFor({ state: 'detached' });
    assert.equal(await isInert(), false);
    assert.deepEqual(await posted('leave_page', 'stop'), [{ type: 'leave_page' }]);
    assert.ok(await prompt.evaluate((element) => element === document.activeElement));
  });

  it('deletes an entry with undo, and opens the file at its line', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false), show, lists(['one', 'two'])]);
    await page.getByRole('button', { name: 'Edit in the file: two' }).press('Enter');
    await page.getByRole('button', { name: 'Delete: two' }).press('Enter');
    await deliver(page, [lists(['one'], 'two')]);
    await page.getByRole('button', { name: 'Undo: restore the deleted entry' }).press('Enter');
    await page.getByRole('button', { name: 'Open the file of the memory: All workspaces' }).press('Enter');
    assert.deepEqual(
      (await posted('page_request')).map((each) => (each as unknown as { request: unknown }).request),
      [
        { page: 'memory', type: 'open_memory', scope: 'workspace', line: 2 },
        { page: 'memory', type: 'delete_memory', scope: 'workspace', entry: { line: 2, text: 'two' } },
        { page: 'memory', type: 'restore_memory' },
        { page: 'memory', type: 'open_memory', scope: 'user' },
      ],
    );
  });

  it('gives way to what the conversation shows, and says that it waits', async () => {
    const page = await panel.show([host('agent'), session(asking(), true), show, lists(['one'])]);
    await memory(page).getByText('Kedge is waiting for you.').waitFor();
    await deliver(page, [{ type: 'compose', text: 'Explain this' }]);
    await memory(page).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Prompt' }).inputValue(), 'Explain this');
  });
});
