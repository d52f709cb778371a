import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Frame } from 'playwright-core';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { choose, conversation, newSession, promptBox, send } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

const RENAME = 'Rename tideLevel to waterLevel in src/**';

describe('a run in the background', () => {
  let workbench: Workbench;
  let panel: Frame;

  // VS Code's own Git would work in the repository while the tests create and delete it.
  const begin = sharedWorkbench(() => ({ files: HARBOUR, settings: { 'git.enabled': false } }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: workbench.folder, encoding: 'utf8' });
  const commit = () => {
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'The harbor');
  };
  const worktrees = () => git('worktree', 'list').trim().split('\n').length;
  const button = (name: string | RegExp) => panel.getByRole('button', { name }).last();
  const bar = () => panel.getByRole('region', { name: 'Worktree' });
  const done = () => workbench.page.locator('.statusbar-item').filter({ hasText: 'Kedge: Done' });
  const dialog = () => workbench.page.locator('.monaco-dialog-box');

  /** Shows the session of the run, after it has ended. */
  async function showSession(): Promise<void> {
    await done().waitFor();
    assert.equal(await conversation(panel).locator('> *').count(), 0, 'the panel stays in its session');
    const told = workbench.page.locator('.notification-list-item-message').filter({ hasText: 'in a worktree' });
    assert.equal(await told.count(), 0, 'the notification of the end is enough');
    await done().click();
    await bar().getByRole('button', { name: 'Review and apply' }).waitFor();
  }

  it('changes no file until its changes are approved, and can be undone then', async () => {
    commit();
    await send(panel, `/background ${RENAME}`);
    await until('the empty composer', async () => (await promptBox(panel).inputValue()) === '');
    await showSession();
    await workbench.screenshot('background-done');
    await bar().getByText('In a worktree, separate from your files.').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
    await bar().getByRole('button', { name: 'Review and apply' }).click();
    const approval = panel.getByRole('region', { name: /^Approval/ });
    await approval.getByText('You are applying the changes of a worktree to your files.').waitFor();
    await approval.getByText('waterLevel').first().waitFor();
    await workbench.screenshot('background-approval');
    assert.deepEqual(await contents(workbench.folder), HARBOUR, 'nothing changes before the approval');
    await approval
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the applied changes');
    await bar().waitFor({ state: 'detached' });
    await conversation(panel).getByText('2 files changed in a worktree').waitFor();
    await until('the deleted worktree', () => worktrees() === 1);
    await workbench.screenshot('background-applied');
    await button('Undo run').click();
    // The undo ends when the user looks at another session. It is no news of a run whose end was seen.
    await send(panel, '/new');
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await newSession(panel);
    assert.equal(await done().count(), 0);
  });

  it('starts with a command, survives a reload, and is dropped only after a confirmation', async () => {
    commit();
    await choose(panel, 'Plan');
    await workbench.command('Kedge: Run in the Background…');
    const input = workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
    await workbench.page.locator('.quick-input-title').filter({ hasText: 'Run in the Background' }).waitFor();
    await input.fill(RENAME);
    await input.press('Enter');
    await showSession();
    await workbench.reload();
    panel = await workbench.panelFrame();
    await bar().getByRole('button', { name: 'Drop' }).click();
    await dialog().getByText('Drop the changes of this run?').waitFor();
    await workbench.screenshot('background-drop');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal(worktrees(), 2);
    await bar().getByRole('button', { name: 'Drop' }).click();
    await workbench.clickNotification('Drop');
    await bar().waitFor({ state: 'detached' });
    await conversation(panel).getByText('2 files changed in a worktree').waitFor();
    await until('the deleted worktree', () => worktrees() === 1);
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });

  it('explains why it needs a commit, and keeps the task', async () => {
    git('init', '--quiet');
    await send(panel, `/background ${RENAME}`);
    await panel.getByText('This repository has no commit yet').first().waitFor();
    assert.equal(await promptBox(panel).inputValue(), `/background ${RENAME}`);
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });
});
