import assert from 'node:assert/strict';
import type { Frame, Locator } from 'playwright-core';
import { openWorkbench, until, type Workbench } from './harness.ts';
import { choose, conversation, newSession, promptBox, send } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

describe('earlier sessions', () => {
  let workbench: Workbench;
  let panel: Frame;

  // The lists of the sessions must not contain those of other suites.
  before(async () => {
    workbench = await openWorkbench({ files: HARBOUR });
  });
  after(() => workbench.dispose());
  beforeEach(async () => {
    await workbench.beginAgain({ files: HARBOUR });
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  it('are opened from a list, where they are pinned, deleted, restored, and found by their results', async () => {
    const { page } = workbench;
    await send(panel, 'Where is tideLevel defined?');
    await panel.getByText('src/tide.ts:1', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'New Session', exact: true }).first().click();
    await panel.getByRole('heading', { name: 'Kedge' }).waitFor();
    await send(panel, 'Where is afloat defined?');
    await panel.getByText('src/boat.ts:3', { exact: true }).first().waitFor();

    await workbench.command('Kedge: Open Session…');
    const shown = workbench.quickItem('Where is afloat defined?');
    await shown.getByText('current session').waitFor();
    await workbench.screenshot('sessions');
    await shown.hover();
    await shown.getByRole('button', { name: 'Pin Session', exact: true }).click();
    await shown.getByRole('button', { name: 'Unpin Session' }).waitFor();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await shown.hover();
    await shown.getByRole('button', { name: 'Delete Session' }).click();
    await panel.getByRole('heading', { name: 'Kedge' }).waitFor();
    await listed(rows, 1);
    await workbench.clickNotification('Undo');
    await panel.getByText('src/boat.ts:3', { exact: true }).first().waitFor();

    await workbench.command('Kedge: Open Session…');
    await listed(rows, 2);
    await page.keyboard.type('tide.ts:1');
    const found = rows.filter({ hasText: 'tide.ts:1' }).first();
    await found.waitFor();
    await workbench.screenshot('sessions-found');
    await found.click();
    await panel.getByText('src/tide.ts:1', { exact: true }).first().waitFor();
    assert.equal(await panel.getByText('Where is afloat defined?').count(), 0);
  });

  /** Waits until the list has so many rows. An error names those that it has. */
  const listed = (rows: Locator, count: number) =>
    until(`${count} rows`, async () => (await rows.count()) === count).catch(async (error: Error) => {
      throw new Error(`${error.message} The rows are: ${(await rows.allInnerTexts()).join(' | ')}`);
    });

  it('run side by side: the one that waits is noticed in another, shown with a click, and answered', async () => {
    const { page } = workbench;
    await choose(panel, 'Agent');
    await send(panel, "Replace 'tideLevel' by 'level' in src/tide.ts");
    const approve = panel.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    await page.getByRole('button', { name: 'New Session', exact: true }).first().click();
    await panel.getByText('Another session is waiting for you').waitFor();
    await choose(panel, 'Ask');
    await send(panel, 'Where is lit defined?');
    await panel.getByText('src/light.ts:1', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Show Sessions' }).first().click();
    const sessions = panel.getByRole('list', { name: 'Sessions' });
    const waiting = sessions.getByRole('listitem').filter({ hasText: 'Waiting for you' });
    await waiting.waitFor();
    await workbench.screenshot('sessions-page');
    // The page finds a session by its result, and shows it.
    await panel.getByRole('searchbox').fill('light.ts:1');
    await sessions.getByRole('listitem').filter({ hasText: 'src/light.ts:1' }).getByRole('button').first().click();
    await sessions.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: /^Show the session that is waiting/ }).click();
    await approve.click();
    await filesAre(
      workbench.folder,
      { ...HARBOUR, 'src/tide.ts': (HARBOUR['src/tide.ts'] ?? '').replace('tideLevel', 'level') },
      'the change',
    );
    // The next test begins with other files, which a run that has not ended could change.
    await panel.getByRole('button', { name: 'Undo run' }).waitFor();
    await until('nothing waits', async () => (await panel.getByText('Another session is waiting for you').count()) === 0);
  });

  it('branch where an earlier message is edited and sent again, with the files restored, and lead back', async () => {
    await choose(panel, 'Agent');
    await send(panel, "Replace 'afloat' by 'floating' in src/boat.ts");
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    const changed = { ...HARBOUR, 'src/boat.ts': renamed(HARBOUR, 'afloat', 'floating')['src/boat.ts'] ?? '' };
    await filesAre(workbench.folder, changed, 'the first change');
    await panel.getByRole('button', { name: 'Undo run' }).waitFor();

    await conversation(panel).getByText("Replace 'afloat'").first().hover();
    await panel.getByRole('button', { name: 'Edit and send again' }).first().click();
    const field = panel.getByRole('textbox', { name: 'Message', exact: true });
    await field.fill("Replace 'lit' by 'shining' in src/light.ts");
    await panel.getByRole('checkbox', { name: /^Restore 1 file/ }).waitFor();
    await workbench.screenshot('edit-and-send-again');
    await panel.getByRole('button', { name: 'Send', exact: true }).first().click();
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    const edited = { ...HARBOUR, 'src/light.ts': (HARBOUR['src/light.ts'] ?? '').replace('lit', 'shining') };
    await filesAre(workbench.folder, edited, 'the change of the edited message, and the first one restored');
    assert.deepEqual(await contents(workbench.folder), edited);

    await panel.getByRole('button', { name: 'Show the earlier version' }).click();
    await conversation(panel).getByText("Replace 'afloat'").first().waitFor();
    await panel.getByText('1 file restored').first().waitFor();
    await panel.getByRole('button', { name: 'Show the later version' }).click();
    await conversation(panel).getByText("Replace 'lit'").first().waitFor();
    await promptBox(panel).waitFor();
  });
});
