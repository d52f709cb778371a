import assert from 'node:assert/strict';
import type { Frame, Locator } from 'playwright-core';
import { type Reply, startWindowServer, type WindowServer } from '../support/window-server.ts';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';
import { contents } from './workspace.ts';

const filler = Array.from({ length: 12 }, (_, index) => `// ${index}`).join('\n');
const lamp = (first: string, second: string) => `export const ${first} = 1;\n${filler}\nexport const bright = ${second} + 1;\n`;
const FILES = { 'src/lamp.ts': lamp('lampLevel', 'lampLevel'), 'src/tide.json': '{\n  "level": ,\n  "hour": 6\n}\n' };

describe('Kedge in the editor', () => {
  let script: Reply[] = [];
  let server: WindowServer;
  let workbench: Workbench;
  let panel: Frame;

  before(async () => {
    server = await startWindowServer({ window: 200_000 }, () => script.shift() ?? 'Done.');
  });
  after(() => server.close());
  const begin = sharedWorkbench(() => ({
    files: FILES,
    settings: {
      'kedge.model': 'openai-chat/test-model',
      'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` },
      'terminal.integrated.shellIntegration.enabled': false,
      'terminal.integrated.gpuAcceleration': 'off',
    },
  }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const lens = (title: string): Locator => workbench.page.locator('.codelens-decoration a').filter({ hasText: title });
  const lampIs = (text: string, what: string) =>
    until(what, async () => (await contents(workbench.folder, ['src/lamp.ts']))['src/lamp.ts'] === text);

  it('shows a proposal in its file, approves it in its diff, and keeps and undoes what landed, hunk by hunk', async () => {
    const edits = [
      { old_text: 'const lampLevel', new_text: 'const lightLevel' },
      { old_text: 'bright = lampLevel', new_text: 'bright = lightLevel' },
    ];
    script = [[{ name: 'replace_in_file', input: { path: 'src/lamp.ts', edits } }]];
    await workbench.openFile('src/lamp.ts');
    await choose(panel, 'Agent');
    await send(panel, 'Rename the level of the lamp');
    await lens('Show Proposal').first().waitFor();
    await workbench.screenshot('editor-proposal');
    await lens('Show Proposal').first().click();
    const approve = workbench.page.getByRole('button', { name: /^Approve/ });
    await approve.first().waitFor();
    await workbench.screenshot('editor-proposal-diff');
    await approve.first().click();
    await lampIs(lamp('lightLevel', 'lightLevel'), 'the approved change');
    await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
    await until('the buttons of both hunks', async () => (await lens('Keep').count()) === 2);
    await workbench.screenshot('editor-review');
    await lens('Keep').first().click();
    await until('the buttons of one hunk', async () => (await lens('Keep').count()) === 1);
    await lens('Undo').first().click();
    await lampIs(lamp('lightLevel', 'lampLevel'), 'the undo of a hunk');
    await lens('Keep').waitFor({ state: 'detached' });
    await workbench.screenshot('editor-review-done');
  });

  it('edits the code at the cursor as the user asks, without the panel', async () => {
    const { page } = workbench;
    script = [[{ name: 'replace_in_file', input: { path: 'src/lamp.ts', edits: [{ old_text: 'Level = 1', new_text: 'Level = 2' }] } }]];
    await workbench.openFile('src/lamp.ts');
    await page.locator('.editor-instance .view-line').filter({ hasText: 'lampLevel = 1' }).click();
    await page.keyboard.press('Control+Alt+Shift+I');
    const input = page.locator('.quick-input-widget:visible .quick-input-box input');
    await input.fill('Make it brighter');
    await workbench.screenshot('editor-edit-input');
    await input.press('Enter');
    await lens('Approve').first().waitFor();
    await workbench.screenshot('editor-edit');
    assert.match(server.requests.at(-1)?.text ?? '', /Make it brighter/);
    await lens('Approve').first().click();
    await lampIs(lamp('lampLevel', 'lampLevel').replace('= 1', '= 2'), 'the approved change');
    await conversation(panel).getByText('Done.').waitFor();
  });

  it('fixes a problem from its code actions', async () => {
    await workbench.openFile('src/tide.json');
    await workbench.page.locator('.squiggly-error').first().waitFor();
    await workbench.command('Go to Next Problem in Files');
    await workbench.page.keyboard.press('Escape');
    const fix = workbench.page.locator('.action-widget .monaco-list-row').filter({ hasText: 'Fix with Kedge' });
    await until('the code actions', async () => {
      await workbench.page.keyboard.press('Control+.');
      return fix.waitFor({ timeout: 2_000 }).then(() => true);
    });
    await workbench.screenshot('editor-code-action');
    await fix.click();
    await conversation(panel)
      .getByText(/^Fix this problem in src\/tide\.json/)
      .waitFor();
    await conversation(panel).getByText('Done.').waitFor();
    assert.match(server.requests.at(-1)?.text ?? '', /\\"hour\\": 6/);
    await workbench.screenshot('editor-fix');
  });

  it('runs a command in a terminal that shows nothing but the command, without shell integration', async () => {
    script = [[{ name: 'run_command', input: { command: 'test -t 1 && echo afloat' } }]];
    await choose(panel, 'Agent');
    await send(panel, 'Is it afloat?');
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    await conversation(panel).getByText('Done.').waitFor();
    assert.match(server.requests.at(-1)?.text ?? '', /afloat/);
    const rows = () => workbench.page.locator('.xterm-rows').innerText();
    await until('the terminal', async () => /^\$ test -t 1 && echo afloat\s*\nafloat\s*$/m.test((await rows()).replaceAll('\u00a0', ' ')));
    await workbench.screenshot('terminal-command');
  });
});
