import assert from 'node:assert/strict';
import type { ToPanel } from '../../../src/protocol/panel.ts';

import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { STATES } from '../../support/panel-states.ts';

const { messages } = STATES.lesson ?? assert.fail();
const { runId, text } = messages.flatMap((message) => (message.type === 'lesson' ? (message.lesson ?? []) : []))[0] ?? assert.fail();
const none: ToPanel = { type: 'lesson' };

describe('a proposed lesson in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const answers = async () => (await panel.posted()).filter(({ type }) => type === 'lesson');

  async function shown() {
    const page = await panel.show(messages);
    const card = page.getByRole('region', { name: 'Remember this for similar tasks?' });
    await card.waitFor();
    const button = (name: RegExp) => card.getByRole('button', { name });
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    return { page, card, button, hasPromptFocus: () => prompt.evaluate((element) => element === document.activeElement) };
  }

  it('is announced, and kept as it is shown', async () => {
    const { page, card, button, hasPromptFocus } = await shown();
    await page.getByRole('status').getByText('Kedge proposes to remember something.').waitFor();
    assert.equal((await card.getByRole('paragraph').first().innerText()).trim(), text.replaceAll('`', ''));
    assert.deepEqual(await answers(), [], 'nothing is stored by itself');
    await button(/^Keep$/).press('Enter');
    assert.deepEqual(await answers(), [{ type: 'lesson', runId, keep: text }]);
    assert.ok(await hasPromptFocus());
    await deliver(page, [none]);
    await card.waitFor({ state: 'detached' });
  });

  it('is edited by keyboard, and Escape only ends the edit', async () => {
    const { page, card, button } = await shown();
    await button(/^Edit/).press('Enter');
    const field = card.getByRole('textbox', { name: 'What to remember' });
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Escape');
    assert.ok(await button(/^Edit/).evaluate((element) => element === document.activeElement));
    await button(/^Edit/).press('Enter');
    await field.fill('Use npx mocha.');
    await field.press('Enter');
    assert.deepEqual(await answers(), [{ type: 'lesson', runId, keep: 'Use npx mocha.' }]);
    assert.deepEqual(
      (await panel.posted()).filter(({ type }) => type === 'stop'),
      [],
    );
  });

  it('is dismissed', async () => {
    const { button } = await shown();
    await button(/^Dismiss/).press('Enter');
    assert.deepEqual(await answers(), [{ type: 'lesson', runId }]);
  });

  it('goes away with the next run', async () => {
    const { page, card } = await shown();
    await deliver(page, [{ type: 'lesson', lesson: { runId: 'run-of-another-time', text } }]);
    await card.waitFor({ state: 'detached' });
  });
});
