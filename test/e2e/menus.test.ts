import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Frame, Locator } from 'playwright-core';
import { startWindowServer, type WindowServer } from '../support/window-server.ts';
import { openWorkbench, sharedWorkbench, until, type Workbench } from './harness.ts';
import { conversation, newSession } from './panel.ts';

const FILES = { 'src/buoy.ts': 'export const buoy = 1;\n', 'src/tide.test.ts': 'test();\n' };

describe('the actions of Kedge in the menus of the workbench', () => {
  let server: WindowServer;
  let workbench: Workbench;
  let panel: Frame;

  before(async () => {
    server = await startWindowServer({ window: 200_000 }, ({ text }) => (text.includes('commit message') ? 'Add a buoy' : 'Done.'));
  });
  after(() => server.close());
  const options = () => ({
    files: FILES,
    settings: {
      'kedge.model': 'openai-chat/test-model',
      'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` },
      'terminal.integrated.gpuAcceleration': 'off',
    },
  });
  const shared = sharedWorkbench(options);

  async function begin(): Promise<void> {
    ({ workbench } = await shared());
    panel = await workbench.panelFrame();
    await newSession(panel);
  }

  /** Clicks an entry of the context menu of an element, or of the submenu of Kedge there. */
  async function pick(element: Locator, entry: string, isSubmenu = true): Promise<void> {
    await element.click({ button: 'right' });
    const menu = workbench.page.locator('.monaco-menu-container');
    // The name of an entry includes its shortcut.
    const item = (name: string) => menu.getByRole('menuitem', { name: new RegExp(`^${name}`) });
    const wanted = isSubmenu ? item(entry).and(menu.locator('.monaco-submenu *')) : item(entry);
    if (isSubmenu) await item('Kedge').click();
    await wanted.waitFor();
    // VS Code ignores clicks until a menu has been open for a tenth of a second, and tells nobody when that is over.
    await until('the menu to close', async () => {
      if (await wanted.isVisible()) await wanted.click({ timeout: 2_000 }).catch(() => undefined);
      return !(await wanted.isVisible());
    });
  }

  const view = (name: string) => workbench.page.locator('.activitybar').getByRole('tab', { name: new RegExp(`^${name}`) });

  /** Waits for the user's message of a run that has ended. */
  async function ran(message: string): Promise<void> {
    await conversation(panel).getByText(message, { exact: true }).waitFor();
    await conversation(panel).getByText('Done.').waitFor();
  }

  it('explain the code in the editor and the file in the explorer', async () => {
    await begin();
    await workbench.openFile('src/buoy.ts');
    await pick(workbench.page.locator('.editor-instance .view-line').first(), 'Explain');
    await ran('Explain src/buoy.ts.');
    await newSession(panel);
    const explorer = workbench.page.locator('.explorer-folders-view');
    if (!(await explorer.isVisible())) await view('Explorer').click();
    await pick(explorer.getByText('tide.test.ts'), 'Explain');
    await ran('Explain src/tide.test.ts.');
    await workbench.screenshot('menu-explain');
  });

  it('write the commit message for what is staged', async () => {
    // The repository must not stay in the workbench that suites share.
    workbench = await openWorkbench(options());
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workbench.folder });
    git('init', '--quiet');
    git('add', 'src/buoy.ts');
    // VS Code looks for a repository when a file is shown.
    await workbench.openFile('src/buoy.ts');
    await view('Source Control').click();
    // VS Code shows the actions of a view only while it is focused or hovered, and the panel takes the focus when it opens. The hover of the
    // icon that was clicked must not cover the view.
    await workbench.page.mouse.move(700, 500);
    await workbench.page.locator('.monaco-hover:visible').waitFor({ state: 'detached' });
    await workbench.page.getByText('Staged Changes').hover();
    await workbench.page.locator('.part.sidebar').getByRole('button', { name: 'Write Commit Message' }).click();
    const input = workbench.page.locator('.scm-editor .view-lines');
    await until('the commit message', async () => (await input.innerText()).replaceAll('\u00a0', ' ').includes('Add a buoy'));
    assert.match(server.requests.at(-1)?.text ?? '', /\+export const buoy = 1;/);
    assert.doesNotMatch(server.requests.at(-1)?.text ?? '', /tide\.test/);
    await workbench.screenshot('menu-commit-message');
    await workbench.dispose();
  });

  it('fix a failed test', async () => {
    // The tests that VS Code lists must not stay in the workbench that suites share.
    workbench = await openWorkbench({
      files: { 'draught.test.ts': 'test();\n' },
      settings: { ...options().settings, 'testing.automaticallyOpenPeekView': 'failureAnywhere' },
    });
    await workbench.command('Test: Run All Tests');
    await workbench.page.getByText('Fix with Kedge').click();
    panel = await workbench.panelFrame();
    await ran('The test “floats” in draught.test.ts fails. Find the cause and fix it.');
    assert.match(server.requests.at(-1)?.text ?? '', /The draught is too deep\..*3 metres.*4 metres/s);
    await workbench.screenshot('menu-test');
    await workbench.dispose();
  });

  it('fix what the last command in the terminal shows', async () => {
    await begin();
    await workbench.command('Terminal: Create New Terminal');
    const terminal = workbench.page.locator('.terminal-wrapper.active .xterm-screen');
    // The marks beside commands show that VS Code knows where a prompt is, and that the command has failed.
    const marks = workbench.page.locator('.terminal-command-decoration');
    await marks.first().waitFor();
    await terminal.click();
    // VS Code does not report output that arrives together with the mark of the command's start.
    await workbench.page.keyboard.type('sleep 3; cat no-such-chart\n');
    await marks.and(workbench.page.locator('.error')).waitFor();
    await pick(terminal, 'Fix with Kedge', false);
    await ran('Fix the problem that the output of the last command in the terminal shows.');
    assert.match(server.requests.at(-1)?.text ?? '', /no-such-chart: No such file/);
    await workbench.screenshot('menu-terminal');
  });
});
