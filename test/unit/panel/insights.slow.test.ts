import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { insightsPage } from '../../support/insights-states.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, session } from '../../support/panel-states.ts';

const show: ToPanel = { type: 'show_page', name: 'insights' };

describe('insights in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const requests = async () =>
    (await panel.posted()).flatMap((each) => (each.type === 'page_request' ? [(each as unknown as { request: unknown }).request] : []));
  const canvas = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true }).locator('canvas');

  it('are plotted with a table behind each plot, and the plots are loaded only then', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false)]);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await deliver(page, [{ type: 'state', state: (host('agent') as ToPanel & { type: 'state' }).state }]);
    assert.equal(loaded.length, 0);
    await deliver(page, [show, insightsPage(30, 30)]);
    await canvas(page, 'Runs').waitFor();
    assert.ok(loaded.includes('/panel-plot.js'), loaded.join(', '));
    assert.equal(await canvas(page, 'Runs').evaluate((element) => element.closest('[aria-hidden="true"]') !== null), true);
    const table = page.getByRole('table', { name: 'Runs' });
    assert.equal(await table.getByRole('row').count(), 31, 'every day of the range and the header');
    assert.equal(await table.getByRole('columnheader').count(), 5);
    await page.getByRole('button', { name: 'Show table: Runs' }).press('Enter');
    assert.equal(await canvas(page, 'Runs').count(), 0);
    const button = page.getByRole('button', { name: 'Show plot: Runs' });
    assert.ok(await button.evaluate((element) => element === document.activeElement), 'the focus stays');
    await button.press('Enter');
    await canvas(page, 'Runs').waitFor();
    for (const title of ['Tool calls', 'Approvals', 'Failed edits', 'Limits reached', 'Models', 'Modes'])
      assert.equal(await page.getByRole('table', { name: title, exact: true }).count(), 1, title);
    assert.deepEqual(errors, [], 'the content security policy blocks nothing');
  });

  it('show other days and are exported, by keyboard', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false), show, insightsPage(30, 30)]);
    const chosen = page.getByRole('radio', { name: '30 days' });
    assert.equal(await chosen.isChecked(), true);
    await chosen.press('ArrowRight');
    await page.getByRole('radio', { name: '90 days' }).press('ArrowRight');
    await page.getByRole('button', { name: 'Export CSV' }).press('Enter');
    assert.deepEqual(await requests(), [
      { page: 'insights', type: 'choose_range', range: 90 },
      { page: 'insights', type: 'choose_range', range: 0 },
      { page: 'insights', type: 'export_insights' },
    ]);
    assert.equal(await page.locator('.insights').getAttribute('aria-busy'), 'true');
    await deliver(page, [insightsPage(0, 400)]);
    assert.equal(await page.locator('.insights').getAttribute('aria-busy'), 'false');
    // More than 92 days are joined to weeks.
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    assert.equal(await rows.first().getByRole('columnheader').first().textContent(), 'Week from');
    assert.ok((await rows.count()) <= 60);
  });

  it('follow the theme and the width of the panel', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false), show, insightsPage(30, 30)]);
    await canvas(page, 'Runs').waitFor();
    const picture = () => canvas(page, 'Runs').evaluate((element) => (element as HTMLCanvasElement).toDataURL());
    const dark = await picture();
    await page.evaluate(() => {
      document.documentElement.dataset.theme = 'light';
    });
    await page.waitForFunction((before) => {
      const element = document.querySelector<HTMLCanvasElement>('.plot canvas');
      return element && element.toDataURL() !== before;
    }, dark);
    const width = () => canvas(page, 'Runs').evaluate((element) => element.getBoundingClientRect().width);
    const narrow = await width();
    await page.setViewportSize({ width: 700, height: 800 });
    await page.waitForFunction((before) => (document.querySelector('.plot canvas')?.getBoundingClientRect().width ?? 0) > before, narrow);
  });

  it('say so when there is nothing', async () => {
    const page = await panel.show([host('ask'), session(new Script(), false), show, insightsPage(7, 0)]);
    await page.getByText('No runs in this period.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Export CSV' }).count(), 0);
  });
});

describe('the rating of an answer in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const rated = async () => (await panel.posted()).filter(({ type }) => type === 'rate_answer');
  const answered = () => new Script().run('ask', 'Where?').turn().says('There.');

  it('is offered when the answer is complete, and can be removed', async () => {
    const page = await panel.show([host('ask'), session(answered(), true)]);
    assert.equal(await page.getByRole('button', { name: 'Good answer' }).count(), 0);
    const script = answered().finishes('answered');
    await deliver(page, [session(script, false)]);
    await page.getByRole('button', { name: 'Good answer' }).press('Enter');
    assert.deepEqual(await rated(), [{ type: 'rate_answer', runId: 'run-1', rating: 'up' }]);
    await deliver(page, [session(script.add({ type: 'answer_rated', rating: 'up' }), false)]);
    const good = page.getByRole('button', { name: 'Good answer' });
    assert.equal(await good.getAttribute('aria-pressed'), 'true');
    assert.equal(await page.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed'), 'false');
    await good.press('Enter');
    assert.deepEqual((await rated()).at(-1), { type: 'rate_answer', runId: 'run-1', rating: 'none' });
  });

  it('takes a comment', async () => {
    const script = answered().finishes('answered').add({ type: 'answer_rated', rating: 'down' });
    const page = await panel.show([host('ask'), session(script, false)]);
    await page.getByRole('button', { name: 'Add comment' }).press('Enter');
    await page.getByRole('textbox', { name: 'Comment on the answer' }).pressSequentially('The wrong file.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await rated(), [{ type: 'rate_answer', runId: 'run-1', rating: 'down', words: 'The wrong file.' }]);
    await deliver(page, [session(script.add({ type: 'answer_rated', rating: 'down', words: 'The wrong file.' }), false)]);
    await page.getByText('The wrong file.').waitFor();
    await page.getByRole('button', { name: 'Change comment' }).press('Enter');
    assert.equal(await page.getByRole('textbox', { name: 'Comment on the answer' }).inputValue(), 'The wrong file.');
  });
});
