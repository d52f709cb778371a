import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer } from '../support/wire-server.ts';
import { openWorkbench, sharedWorkbench, until, type Workbench } from './harness.ts';
import { approveInThisRun } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

const RENAME = 'Rename tideLevel to waterLevel in src/**';

describe('@kedge in the native Chat', () => {
  let workbench: Workbench;

  const begin = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    const { workbench: shared, isNew } = await begin();
    workbench = shared;
    if (!isNew) await workbench.chat.clear();
  });

  it('answers the first message of a fresh profile', async () => {
    const { chat } = workbench;
    await chat.send('@kedge Where is tideLevel defined?');
    // VS Code shows a link to a place with the name of the file.
    assert.match(await chat.finished(), /tide\.ts:1/);
    await workbench.screenshot('chat-ask');
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });

  it('plans, runs the plan and takes it back, by buttons', async () => {
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
    await workbench.waitForText(/Undid the run: 2 files restored/);
  });

  it('lets the agent do what is approved and not what is rejected', async () => {
    const { chat } = workbench;
    await chat.send(`@kedge /agent ${RENAME}`);
    await chat.clickButton(/^Approve$/);
    await until('one changed file', async () => JSON.stringify(await contents(workbench.folder)) !== JSON.stringify(HARBOUR));
    await until('the second approval', async () => (await chat.buttons.filter({ hasText: 'Reject' }).count()) === 2);
    await workbench.screenshot('chat-agent');
    await chat.clickButton('Reject');
    await chat.finished();
    const after = await contents(workbench.folder);
    assert.equal(Object.keys(HARBOUR).filter((path) => after[path] !== HARBOUR[path]).length, 1);
  });

  it('brings back after a reload what was not answered before it', async () => {
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

  it('asks a service only once its model is picked, by a button above the answer', async () => {
    const server = await startWireServer(
      [
        { body: TEXT_BODIES['openai-chat']?.(['The tide ', 'turns.']) ?? '' },
        { body: TEXT_BODIES['openai-chat']?.(['It ', 'ebbs.']) ?? '' },
      ],
      'text/event-stream',
    );
    const own = await openWorkbench({ files: HARBOUR, settings: { 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } } });
    try {
      const { chat, folder } = own;
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
      await own.screenshot('chat-offline');
      await chat.clickButton('Answer with test-model');
      await chat.waitForAnswer('The tide turns.');
      assert.match(server.requests[0]?.raw.toString() ?? '', /Where is tideLevel defined\?/);
      // The connected model stays selected.
      await chat.send('And then?');
      await chat.waitForAnswer('It ebbs.');
      assert.equal(server.requests.length, 2);
    } finally {
      await own.dispose();
      await server.close();
    }
  });

  it('stops in mid-run', async () => {
    const { chat, page } = workbench;
    await chat.send(`@kedge /agent ${RENAME}`);
    await chat.buttons.filter({ hasText: 'Approve' }).first().waitFor();
    await page.locator('.chat-input-toolbars .codicon-stop-circle, .chat-execute-toolbar .codicon-stop-circle').first().click();
    await chat.finished();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });
});
