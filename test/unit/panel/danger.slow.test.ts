import assert from 'node:assert/strict';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { STATES } from '../../support/panel-states.ts';

describe('an approval in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();

  it('names every reason of a dangerous command, and has no default button', async () => {
    const page = await panel.open('approval-danger');
    const card = page.getByRole('region', { name: 'Approval: run_command' });
    const reasons = await card.getByRole('list', { name: 'Why this is dangerous' }).getByRole('listitem').allTextContents();
    assert.equal(reasons.length, 4);
    assert.match(reasons[0] ?? '', /^sh runs code/);
    assert.equal(await card.locator('.button.primary').count(), 0);
    await card.focus();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Enter');
    assert.deepEqual(await panel.posted(), []);
    await card.getByRole('button', { name: 'Approve', exact: true }).press('Enter');
    assert.deepEqual(await panel.posted(), [{ type: 'answer_approval', approvalId: 'approval-9', answer: { approve: true } }]);
  });

  it('says which step of which plan it belongs to', async () => {
    const page = await panel.open('plan-deviation');
    await page.getByText(/^Step \d of \d: .* · Plan: /).waitFor();
  });

  it('keeps the choice of hunks over a reload, until it is answered', async () => {
    const page = await panel.open('approval');
    const boxes = page.getByRole('checkbox');
    const before = await boxes.count();
    assert.ok(before > 1);
    await boxes.last().uncheck();
    await page.reload();
    await deliver(page, STATES.approval?.messages ?? []);
    assert.equal(await page.getByRole('checkbox').last().isChecked(), false);
    assert.equal(await page.getByRole('checkbox').first().isChecked(), true);
    await page.getByRole('button', { name: /^Apply 1 of 2/ }).press('Enter');
    const kept = await page.evaluate(() => JSON.parse(sessionStorage.getItem(location.search) ?? '{}').rejected);
    assert.deepEqual(kept, {});
  });
});
