import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { approveInThisRun, choose, conversation, newSession, promptBox, send } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

const RENAME = 'Rename tideLevel to waterLevel in src/**';

describe('the panel', () => {
  let workbench: Workbench;
  let panel: Frame;

  const begin = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const button = (name: string | RegExp) => panel.getByRole('button', { name }).last();

  it('answers a question with links that open the file', async () => {
    await send(panel, 'Where is tideLevel defined?');
    await panel.getByText('src/tide.ts:1', { exact: true }).first().click();
    await workbench.page.locator('.tab[data-resource-name="tide.ts"]').waitFor();
    await workbench.screenshot('panel-ask');
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });

  it('explains what Offline can do, with a button that connects a real model', async () => {
    await send(panel, 'Write me a poem');
    const offer = panel.getByRole('log').getByRole('button', { name: 'Connect a model' });
    await offer.waitFor();
    await workbench.screenshot('panel-help');
    await offer.click();
    await workbench.waitForText('Kedge: Connect a Model');
  });

  it('plans, runs the confirmed plan, and undoes it', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR, 'a plan changes nothing');
    await workbench.screenshot('panel-plan');
    await button('Run plan').click();
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename');
    await button('Undo run').waitFor();
    await workbench.screenshot('panel-plan-done');
    await button('Undo run').click();
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await conversation(panel)
      .getByText(/Undone: 2 files restored/)
      .waitFor();
  });

  it('compares a run with the current files, also after a reload and an undo', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').click();
    await button('Review').click();
    const review = workbench.page.locator('.multiDiffEditor .monaco-diff-editor');
    const lines = (text: string) => review.locator('.editor.modified .view-line').filter({ hasText: text }).first();
    await lines('waterLevel').waitFor();
    await workbench.reload();
    await lines('waterLevel').waitFor();
    panel = await workbench.panelFrame();
    await button('Undo run').click();
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await lines('waterLevel').waitFor({ state: 'detached' });
    await workbench.screenshot('review-undone');
  });

  it('does not undo a file that was changed since, and restores the others', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').click();
    await button('Undo run').waitFor();
    await writeFile(join(workbench.folder, 'src/boat.ts'), 'mine now\n');
    await button('Undo run').click();
    await conversation(panel).getByText('The same lines were changed after Kedge wrote them.').waitFor();
    await filesAre(workbench.folder, { ...HARBOUR, 'src/boat.ts': 'mine now\n' }, 'the undo of the other file');
  });

  it('asks before each edit in Agent mode, and applies only approved edits', async () => {
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await button('Approve').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR, 'nothing changes before the approval');
    await workbench.screenshot('panel-agent-approval');
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    const second = panel.getByRole('button', { name: 'Reject…' });
    await until(
      'the second approval',
      async () => (await panel.getByRole('region', { name: /^Approval/ }).count()) === 1 && second.isEnabled(),
    );
    await second.click();
    await panel.getByRole('textbox', { name: 'Message to the model' }).fill('leave that one');
    await panel.getByRole('button', { name: 'Reject', exact: true }).click();
    await button('Undo run').waitFor();
    const after = await contents(workbench.folder);
    const changed = Object.keys(HARBOUR).filter((path) => after[path] !== HARBOUR[path]);
    assert.equal(changed.length, 1, 'exactly the approved file changed');
  });

  it('answers the approvals of a group with one click, and summarizes the run', async () => {
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await panel.getByRole('button', { name: /^Approve all \d like this$/ }).click();
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename by one answer');
    const receipt = panel.getByRole('button', { name: /^Receipt: Changed 2 files.* You approved the request\./ });
    await receipt.click();
    await conversation(panel).getByText('by your permission').waitFor();
    await workbench.screenshot('panel-receipt');
  });

  it('completes a mention and sends it, and shows it after a reload, with a pending approval', async () => {
    await promptBox(panel).pressSequentially('show @tide');
    await panel.getByRole('option', { name: /^tide\.ts/ }).waitFor();
    await workbench.screenshot('panel-mention-list');
    await promptBox(panel).press('Enter');
    await panel.getByRole('button', { name: 'Remove src/tide.ts' }).waitFor();
    await promptBox(panel).press('Enter');
    const sent = () => conversation(panel).getByRole('button', { name: 'Open src/tide.ts' });
    await sent().waitFor();
    await conversation(panel).getByText('export function tideLevel').first().waitFor();
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await button('Approve').waitFor();
    await workbench.reload();
    panel = await workbench.panelFrame();
    await button('Approve').waitFor();
    await sent().waitFor();
    await workbench.screenshot('panel-mention-sent');
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
    await approveInThisRun(panel);
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename after the reload');
    await button('Undo run').waitFor();
  });
});
