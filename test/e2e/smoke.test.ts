import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkbench, until, type Workbench } from './harness.ts';

describe('the installed extension in a fresh profile', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({
      files: { 'src/a.ts': 'export const a = 1;\n' },
      askForTrust: true,
      // The folder then opens in Restricted Mode without a dialog.
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
    });
  });
  after(() => workbench.dispose());

  it('opens the workspace', async () => {
    assert.ok(existsSync(join(workbench.folder, 'src', 'a.ts')));
    await workbench.openFile('a.ts');
    await workbench.waitForText('export const a = 1;');
  });

  it('shows its panel', async () => {
    const panel = await workbench.panelFrame();
    await panel.locator('#kedge-panel').waitFor();
  });

  it('offers only Ask in Restricted Mode, and all modes when the folder is trusted', async () => {
    const panel = await workbench.panelFrame();
    const mode = (name: string) => panel.getByRole('radio', { name });
    await panel.getByText('Restricted Mode: only Ask is available.').waitFor();
    assert.deepEqual(await Promise.all(['Ask', 'Plan', 'Agent'].map((name) => mode(name).isDisabled())), [false, true, true]);
    await workbench.screenshot('restricted-mode');
    await panel.getByRole('button', { name: 'Manage Trust' }).last().click();
    await workbench.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    await until('Agent mode', () => mode('Agent').isEnabled());
    assert.equal(await panel.getByText('Restricted Mode').count(), 0);
  });

  it('answers the first message of the native chat', async () => {
    await workbench.chat.send('@kedge hello');
    assert.notEqual(await workbench.chat.finished(), '');
  });

  it('offers to open a folder where none is open', async () => {
    await workbench.openEmptyWindow();
    const panel = await workbench.panelFrame();
    await panel.getByText('No folder is open.').waitFor();
    await workbench.screenshot('no-folder');
    await panel.getByRole('button', { name: 'Open Folder' }).click();
    await workbench.page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: 'Open Folder' }).waitFor();
  });
});
