import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer, type WireServer } from '../support/wire-server.ts';
import { openWorkbench, sharedWorkbench, until, type Workbench } from './harness.ts';
import { approveInThisRun } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

const RENAME = 'Rename tideLevel to waterLevel in src/**';

describe('@kedge in the native Chat', () => {
  let workbench: Workbench;

  const begin = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    await workbench.chat.clear();
  });

  it('answers with links to the places that it found', async () => {
    const { chat } = workbench;
    await chat.send('@kedge Where is tideLevel defined?');
    // VS Code shows a link to a place with the name of the file.
    assert.match(await chat.finished(), /tide\.ts:1/);
    await workbench.screenshot('chat-ask');
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });

  it('plans, runs the plan and undoes it with buttons', async () => {
    const { chat } = workbench;
    await chat.send(`@kedge /plan ${RENAME}`);
    await chat.finished();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
    await workbench.screenshot('chat-plan');
    await chat.clickButton('Run plan');
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename');
    await chat.waitForAnswer(/Step 2/);
    await chat.finished();
    await workbench.screenshot('chat-plan-done');
    await chat.clickButton('Undo run');
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await workbench.waitForText(/The run was undone: 2 files restored/);
  });

  it('applies approved changes and no rejected ones', async () => {
    const { chat } = workbench;
    await chat.send(`@kedge /agent ${RENAME}`);
    await chat.clickButton(/^Approve$/);
    await until('one changed file', async () => JSON.stringify(await contents(workbench.folder)) !== JSON.stringify(HARBOUR));
    await until('the second approval', async () => (await chat.link('Reject').count()) === 2);
    await workbench.screenshot('chat-agent');
    await chat.link('Reject').last().click();
    await chat.finished();
    const after = await contents(workbench.folder);
    assert.equal(Object.keys(HARBOUR).filter((path) => after[path] !== HARBOUR[path]).length, 1);
  });

  it('shows unanswered approvals again after a reload', async () => {
    const { chat } = workbench;
    await chat.send(`@kedge /agent ${RENAME}`);
    await chat.buttons.filter({ hasText: 'Approve' }).first().waitFor();
    await workbench.reload();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
    await workbench.clickNotification('Show');
    // The panel opens by itself and shows the question.
    await workbench.waitForText('Waiting for your approval');
    const panel = await workbench.panelFrame();
    await approveInThisRun(panel);
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename after the reload');
    await panel.getByRole('button', { name: 'Undo run' }).waitFor();
  });

  it('stops during a run', async () => {
    const { chat, page } = workbench;
    await chat.send(`@kedge /agent ${RENAME}`);
    await chat.buttons.filter({ hasText: 'Approve' }).first().waitFor();
    await page.locator('.chat-input-toolbars .codicon-stop-circle, .chat-execute-toolbar .codicon-stop-circle').first().click();
    await chat.finished();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });
});

describe('a service in the native Chat', () => {
  let server: WireServer;
  let workbench: Workbench;

  before(async () => {
    const answers = ['The tide turns.', 'It ebbs.'].map((text) => ({ body: TEXT_BODIES['openai-chat']?.([text]) ?? '' }));
    server = await startWireServer(answers, 'text/event-stream');
    workbench = await openWorkbench({ files: HARBOUR, settings: { 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } } });
  });
  after(async () => {
    await workbench.dispose();
    await server.close();
  });

  it('is used only after its model was selected, with a button above the answer', async () => {
    const { chat, folder } = workbench;
    await chat.send('@kedge Where is tideLevel defined?');
    assert.match(await chat.finished(), /tide\.ts:1/);
    // A model is connected while Offline is selected in VS Code.
    await mkdir(join(folder, '.vscode'));
    await writeFile(join(folder, '.vscode', 'settings.json'), JSON.stringify({ 'kedge.model': 'openai-chat/test-model' }));
    await until('the offer', async () => {
      await chat.send('Where is tideLevel defined?');
      return /Your settings use/.test(await chat.finished());
    });
    assert.equal(server.requests.length, 0);
    await workbench.screenshot('chat-offline');
    await chat.clickButton('Answer with test-model');
    await chat.waitForAnswer('The tide turns.');
    assert.match(server.requests[0]?.raw.toString() ?? '', /Where is tideLevel defined\?/);
    // The connected model stays selected.
    await chat.send('And then?');
    await chat.waitForAnswer('It ebbs.');
    assert.equal(server.requests.length, 2);
  });
});

describe('Offline that is ticked in the native Chat', () => {
  it('answers, and the service that is configured receives nothing', async () => {
    const server = await startWireServer([{ body: TEXT_BODIES['openai-chat']?.(['It ebbs.']) ?? '' }], 'text/event-stream');
    const workbench = await openWorkbench({
      files: HARBOUR,
      settings: { 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` }, 'kedge.model': 'openai-chat/test-model' },
    });
    try {
      const { chat, page } = workbench;
      await chat.focus();
      const picker = page.locator('.model-picker-name');
      await picker.filter({ hasText: 'test-model' }).waitFor();
      const row = (text: string) => page.locator('.action-widget .monaco-list-row').filter({ hasText: text }).first();
      // VS Code empties the open list when models are registered meanwhile.
      await until('the list of models', async () => {
        if (await row('Offline').isVisible()) return true;
        if (await page.locator('.action-widget').isVisible()) await page.keyboard.press('Escape');
        await picker.click();
        await row('Other Models').click({ timeout: 10_000 });
        await row('Offline').waitFor({ timeout: 10_000 });
        return true;
      });
      await row('Offline').click();
      await picker.filter({ hasText: 'Offline' }).waitFor();
      for (const command of ['', '/plan ', '/agent ']) {
        await chat.send(`@kedge ${command}Where is tideLevel defined?`);
        assert.match(await chat.finished(), /tide\.ts|Your settings use/);
      }
      await workbench.screenshot('chat-offline-ticked');
      assert.deepEqual(
        server.requests.map(({ path }) => path),
        [],
      );
    } finally {
      await workbench.dispose();
      await server.close();
    }
  });
});
