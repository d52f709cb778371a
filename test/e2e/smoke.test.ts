import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkbench, type Workbench } from './harness.ts';

describe('the installed extension in a fresh profile', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({ files: { 'src/a.ts': 'export const a = 1;\n' } });
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

  it('answers the first message of the native chat', async () => {
    await workbench.chat.send('@kedge hello');
    assert.notEqual(await workbench.chat.finished(), '');
  });
});
