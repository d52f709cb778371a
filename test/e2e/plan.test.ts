import type { Frame } from 'playwright-core';
import { sharedWorkbench, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';
import { filesAre, HARBOUR, renamed } from './workspace.ts';

describe('a plan in the panel', () => {
  let workbench: Workbench;
  let panel: Frame;

  const begin = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const button = (name: string | RegExp) => panel.getByRole('button', { name }).last();

  it('is edited, fails a check, survives a reload, rolls back a step and continues', async () => {
    await choose(panel, 'Plan');
    await send(panel, 'Rename tideLevel to waterLevel in src/**');
    await button('Edit plan').click();
    await panel.getByLabel('Regular expression').first().fill('waterLevel');
    await button('Save').click();
    await button('Run plan').click();

    await conversation(panel)
      .getByText(/^Step 1 .* did not pass its check: nothing matches waterLevel in src\/boat\.ts\.$/)
      .waitFor();
    await workbench.screenshot('plan-check-failed');
    await workbench.reload();
    panel = await workbench.panelFrame();
    await button(/^\d? ?Skip/).click();
    await conversation(panel).getByText('Keep or roll back the changes of step 1 in 1 file?').waitFor();
    await button(/^\d? ?Roll back/).click();

    await conversation(panel).getByText('Its check failed; its changes were rolled back.').waitFor();
    await button('Run plan again…').waitFor();
    await workbench.screenshot('plan-rolled-back');
    const tide = renamed({ 'src/tide.ts': HARBOUR['src/tide.ts'] ?? '' }, 'tideLevel', 'waterLevel');
    await filesAre(workbench.folder, { ...HARBOUR, ...tide }, 'the second step alone');
    await conversation(panel).getByText('revision 2 ·').waitFor();
  });
});
