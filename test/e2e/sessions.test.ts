import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { openWorkbench, until, type Workbench } from './harness.ts';
import { send } from './panel.ts';
import { HARBOUR } from './workspace.ts';

describe('earlier sessions', () => {
  let workbench: Workbench;
  let panel: Frame;

  beforeEach(async () => {
    workbench = await openWorkbench({ files: HARBOUR });
    panel = await workbench.panelFrame();
  });
  afterEach(() => workbench.dispose());

  it('are opened from a list, and deleted there after a yes', async () => {
    const { page } = workbench;
    await send(panel, 'Where is tideLevel defined?');
    await panel.getByText('src/tide.ts:1', { exact: true }).first().waitFor();
    await panel.getByRole('button', { name: 'New session' }).click();
    await send(panel, 'Where is afloat defined?');
    await panel.getByText('src/boat.ts:3', { exact: true }).first().waitFor();

    await panel.getByRole('button', { name: 'Open an earlier session' }).click();
    const shown = workbench.quickItem('Where is afloat defined?');
    await shown.getByText('current session').waitFor();
    await workbench.screenshot('sessions');
    await shown.hover();
    await shown.getByRole('button', { name: 'Delete Session' }).click();
    await workbench.clickNotification('Delete');
    await panel.getByRole('heading', { name: 'Kedge' }).waitFor();
    await until('a list without it', async () => (await page.locator('.quick-input-list .monaco-list-row').count()) === 1);
    await workbench.clickQuickItem('Where is tideLevel defined?');
    await panel.getByText('src/tide.ts:1', { exact: true }).first().waitFor();
    assert.equal(await panel.getByText('Where is afloat defined?').count(), 0);
  });
});
