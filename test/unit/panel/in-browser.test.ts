import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { deliver, findChrome, type Gallery, openGallery } from '../../support/panel-gallery.ts';
import { host, PLAN, STATES } from '../../support/panel-states.ts';

function hasChrome(): boolean {
  try {
    return findChrome() !== '';
  } catch {
    return false;
  }
}

describe('panel in a browser', () => {
  let gallery: Gallery;
  let page: Page;

  before(async function () {
    if (!hasChrome()) return this.skip();
    gallery = await openGallery();
  });
  after(() => gallery?.[Symbol.asyncDispose]());
  afterEach(() => page?.close());

  const open = async (state: string) => {
    page = await gallery.open(STATES[state]?.messages ?? []);
  };
  /** What the panel has said since it was ready. */
  const posted = async () => {
    const messages: { type: string }[] = JSON.parse(await page.evaluate(() => JSON.stringify(window.posted)));
    return messages.filter(({ type }) => type !== 'ready');
  };
  const prompt = () => page.getByRole('textbox', { name: /^Prompt/ });

  it('sends with Enter, breaks with Shift+Enter, and leaves an input method alone', async () => {
    await open('empty-ask');
    await prompt().pressSequentially('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await prompt().dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    assert.deepEqual(await posted(), []);
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'prompt', text: 'one\ntwo', mode: 'ask' }]);
    assert.equal(await prompt().inputValue(), '');
    await page.keyboard.press('ArrowUp');
    assert.equal(await prompt().inputValue(), 'one\ntwo');
  });

  it('keeps the draft over a reload', async () => {
    await open('empty-ask');
    await prompt().fill('half a thought');
    await page.reload();
    assert.equal(await prompt().inputValue(), 'half a thought');
  });

  it('changes the mode by keyboard and offers what suits it', async () => {
    await open('empty-ask');
    await page.getByRole('radio', { name: 'Ask' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await posted(), [{ type: 'set_mode', mode: 'plan' }]);
    await page.getByRole('button', { name: 'Rename … to … in src/**' }).click();
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await page.keyboard.type('tideAt');
    assert.equal(await prompt().inputValue(), 'Rename tideAt to … in src/**');
  });

  it('stops with Escape while a run is live', async () => {
    await open('working');
    await prompt().focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await posted(), [{ type: 'stop' }, { type: 'stop' }]);
  });

  it('moves the focus to an approval, which Ctrl+Enter gives', async () => {
    await open('empty-agent');
    await prompt().focus();
    await deliver(page, STATES.approval?.messages ?? []);
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Approval: Edit src/tide.ts and create height-options.ts',
    );
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), []);
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await posted(), [{ type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true } }]);
  });

  it('leaves the focus where the user is writing', async () => {
    await open('empty-agent');
    await prompt().fill('wait');
    await deliver(page, STATES.approval?.messages ?? []);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
  });

  it('approves for longer, and rejects with words', async () => {
    await open('approval');
    await page.getByRole('button', { name: 'More ways to approve' }).click();
    await page.getByRole('button', { name: 'Approve edits for this session' }).click();
    await page.close();
    await open('approval');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.keyboard.type('Use another name');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: false, words: 'Use another name' } },
    ]);
  });

  it('runs the plan as it was edited', async () => {
    await open('plan');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Move step 2 up' }).click();
    await page.getByRole('button', { name: 'Remove step 3' }).click();
    await page.getByLabel('Goal').fill('Rename it');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Run plan' }).click();
    const plan = { ...PLAN, goal: 'Rename it', revision: 2, steps: [PLAN.steps[1], PLAN.steps[0]] };
    assert.deepEqual(await posted(), [{ type: 'answer_plan', planId: PLAN.id, answer: 'run', plan }]);
  });

  it('leaves a plan as it was when editing is cancelled', async () => {
    await open('plan');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Goal').fill('Other');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run plan' }).click();
    assert.deepEqual(await posted(), [{ type: 'answer_plan', planId: PLAN.id, answer: 'run' }]);
  });

  it('hands every link to the host, and loads no image', async () => {
    await open('answer');
    await page.getByRole('link', { name: 'src/tide.ts:12-20' }).click();
    await page.getByRole('link', { name: 'guide' }).click();
    await page.getByRole('link', { name: 'the README' }).click();
    assert.deepEqual(await posted(), [
      { type: 'open_file', path: 'src/tide.ts', line: 12 },
      { type: 'open_link', url: 'https://example.com/tides' },
      { type: 'open_file', path: 'README.md', line: 3 },
    ]);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('.markdown b').count(), 0);
  });

  it('opens diffs, reviews and undoes', async () => {
    await open('changed');
    await page.getByRole('button', { name: /^tide\.ts/ }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.deepEqual(await posted(), [
      { type: 'open_diff', callId: 'call-2', path: 'src/tide.ts' },
      { type: 'review_run', runId: 'run-1' },
      { type: 'undo_run', runId: 'run-1' },
    ]);
  });

  it('follows the newest line only while the user is there', async () => {
    await open('long');
    const bottom = () =>
      page.evaluate(() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.transcript') as HTMLElement;
        return Math.round(scrollHeight - scrollTop - clientHeight);
      });
    assert.ok((await bottom()) < 2);
    await page.evaluate(() => document.querySelector('.transcript')?.scrollTo(0, 500));
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor();
    await deliver(page, [host('ask')]);
    assert.ok((await bottom()) > 100);
    await page.getByRole('button', { name: 'Jump to the latest' }).click();
    await page.waitForTimeout(100);
    assert.ok((await bottom()) < 2);
    await page.getByRole('button', { name: 'Show 12 earlier' }).click();
    assert.deepEqual(await posted(), [{ type: 'show_earlier' }]);
  });

  it('tells a screen reader that it is asked something', async () => {
    await open('approval');
    await page.waitForFunction(() => document.querySelector('[role="status"]')?.textContent?.includes('Kedge asks for approval'));
  });
});
