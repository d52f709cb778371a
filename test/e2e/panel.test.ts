import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { type ResponsesServerOptions, startResponsesServer } from '../support/responses-server.ts';
import { openWorkbench, sharedWorkbench, until, type Workbench } from './harness.ts';
import { approveInThisRun, choose, conversation, newSession, promptBox, send } from './panel.ts';
import { contents, filesAre, HARBOUR, renamed } from './workspace.ts';

const RENAME = 'Rename tideLevel to waterLevel in src/**';

describe('the panel', () => {
  let workbench: Workbench;
  let panel: Frame;

  const begin = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const button = (name: string | RegExp) => panel.getByRole('button', { name }).last();

  it('answers a question with places that open the file', async () => {
    await send(panel, 'Where is tideLevel defined?');
    await panel.getByText('src/tide.ts:1', { exact: true }).first().click();
    await workbench.page.locator('.tab[data-resource-name="tide.ts"]').waitFor();
    await workbench.screenshot('panel-ask');
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
  });

  it('completes a mention, sends it, and shows it after a reload', async () => {
    await promptBox(panel).pressSequentially('show @tide');
    await panel.getByRole('option', { name: /^tide\.ts/ }).waitFor();
    await workbench.screenshot('panel-mention-list');
    await promptBox(panel).press('Enter');
    await panel.getByRole('button', { name: 'Remove src/tide.ts' }).waitFor();
    await promptBox(panel).press('Enter');
    const sent = conversation(panel).getByRole('button', { name: 'Open src/tide.ts' });
    await sent.waitFor();
    await conversation(panel).getByText('export function tideLevel').first().waitFor();
    await workbench.reload();
    panel = await workbench.panelFrame();
    await conversation(panel).getByRole('button', { name: 'Open src/tide.ts' }).waitFor();
    await workbench.screenshot('panel-mention-sent');
  });

  it('says what Offline can do, with a button that connects a real model', async () => {
    await send(panel, 'Write me a poem');
    const offer = panel.getByRole('log').getByRole('button', { name: 'Connect a model' });
    await offer.waitFor();
    await workbench.screenshot('panel-help');
    await offer.click();
    await workbench.waitForText('Kedge: Connect a Model');
  });

  it('plans, runs the confirmed plan, and takes it back', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR, 'a plan changes nothing');
    await workbench.screenshot('panel-plan');
    await button('Run plan').click();
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename');
    await button('Undo run').waitFor();
    await workbench.screenshot('panel-plan-done');
    await button('Undo run').click();
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await conversation(panel)
      .getByText(/Undone: 2 files restored/)
      .waitFor();
  });

  it('reviews a run against the files as they are, also after a reload and an undo', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').click();
    await button('Review').click();
    const review = workbench.page.locator('.multiDiffEditor .monaco-diff-editor');
    const lines = (text: string) => review.locator('.editor.modified .view-line').filter({ hasText: text }).first();
    await lines('waterLevel').waitFor();
    await workbench.reload();
    await lines('waterLevel').waitFor();
    panel = await workbench.panelFrame();
    await button('Undo run').click();
    await filesAre(workbench.folder, HARBOUR, 'the undo');
    await lines('waterLevel').waitFor({ state: 'detached' });
    await workbench.screenshot('review-undone');
  });

  it('refuses to undo a file that was changed since, and restores the others', async () => {
    await choose(panel, 'Plan');
    await send(panel, RENAME);
    await button('Run plan').click();
    await button('Undo run').waitFor();
    await writeFile(join(workbench.folder, 'src/boat.ts'), 'mine now\n');
    await button('Undo run').click();
    await conversation(panel).getByText('The same lines were changed after Kedge wrote them.').waitFor();
    await filesAre(workbench.folder, { ...HARBOUR, 'src/boat.ts': 'mine now\n' }, 'the undo of the other file');
  });

  it('asks before each edit of the agent, and applies what was approved only', async () => {
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await button('Approve').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR, 'nothing changes before the approval');
    await workbench.screenshot('panel-agent-approval');
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    const second = panel.getByRole('button', { name: 'Reject…' });
    await until(
      'the second approval',
      async () => (await panel.getByRole('region', { name: /^Approval/ }).count()) === 1 && second.isEnabled(),
    );
    await second.click();
    await panel.getByRole('textbox', { name: 'Message to the model' }).fill('leave that one');
    await panel.getByRole('button', { name: 'Reject', exact: true }).click();
    await button('Undo run').waitFor();
    const after = await contents(workbench.folder);
    const changed = Object.keys(HARBOUR).filter((path) => after[path] !== HARBOUR[path]);
    assert.equal(changed.length, 1, 'exactly the approved file changed');
  });

  it('answers the approvals of a group with one click, and says what the run did', async () => {
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await panel.getByRole('button', { name: /^Approve all \d like this$/ }).click();
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename by one answer');
    const receipt = panel.getByRole('button', { name: /^Receipt: \d+ calls · 1 approval requested/ });
    await receipt.click();
    await conversation(panel).getByText('by your permission').waitFor();
    await workbench.screenshot('panel-receipt');
  });

  it('comes back as it was after a reload, a pending approval included', async () => {
    await choose(panel, 'Agent');
    await send(panel, RENAME);
    await button('Approve').waitFor();
    await workbench.reload();
    panel = await workbench.panelFrame();
    await button('Approve').waitFor();
    assert.deepEqual(await contents(workbench.folder), HARBOUR);
    await approveInThisRun(panel);
    await filesAre(workbench.folder, renamed(HARBOUR, 'tideLevel', 'waterLevel'), 'the rename after the reload');
    await button('Undo run').waitFor();
  });
});

describe('the panel with a model behind HTTP', () => {
  it('works through the Responses API with the real SDK, and stops in the middle of an answer', async () => {
    const options: ResponsesServerOptions = {
      apiKey: 'test-key',
      turns: ({ body }) => {
        const last = body.input.at(-1);
        if (body.tools?.some(({ name }) => name === 'note_word')) return { calls: [{ name: 'note_word', input: { word: 'harbour' } }] };
        if (JSON.stringify(last).includes('Think.')) return { text: 'Let me think about this for a very long time.' };
        if (last?.type === 'function_call_output') return { text: 'The tide is a sine, see src/tide.ts:2.' };
        return { calls: [{ name: 'read_file', input: { path: 'src/tide.ts' } }] };
      },
    };
    const server = await startResponsesServer(options);
    const workbench = await openWorkbench({
      files: HARBOUR,
      settings: { 'kedge.model': 'openai/test-model' },
    });
    try {
      const panel = await workbench.panelFrame();
      await panel.getByText('There is no key for OpenAI.').waitFor();
      await connect(workbench, server.url, 'test-key');
      await panel.getByText('test-model is connected.').waitFor();
      await send(panel, 'How does the tide work?');
      await conversation(panel)
        .getByText(/The tide is a sine/)
        .waitFor();
      await workbench.screenshot('panel-openai');
      const bodies = server.requests.map(({ raw }) => raw.toString());
      assert.ok(bodies.length >= 2);
      assert.ok(
        bodies.every((body) => !body.includes('test-key')),
        'the key is in no body',
      );

      options.hang = 'midway';
      await send(panel, 'Think.');
      await conversation(panel)
        .getByText(/Let me think/)
        .waitFor();
      const request = server.requests.at(-1);
      assert.ok(request);
      await promptBox(panel).press('Escape');
      await conversation(panel).getByText('You stopped this run.').waitFor();
      // The server hangs and never closes the connection, so Kedge must have closed it.
      await request.closed;
    } finally {
      await workbench.dispose();
      await server.close();
    }
  });
});

/** Connects `test-model` for all modes with "Kedge: Connect a Model…": OpenAI at this address, with this key. */
async function connect(workbench: Workbench, url: string, key: string): Promise<void> {
  const { page } = workbench;
  const input = page.locator('.quick-input-widget:visible .quick-input-box input');
  const title = (text: string) => page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: text }).waitFor();
  await workbench.command('Kedge: Connect a Model…');
  await title('Kedge: Connect a Model');
  await workbench.clickQuickItem('OpenAI');
  await title('OpenAI: key');
  await workbench.clickQuickItem('Use another address…');
  await title('address');
  await input.fill(url);
  await page.keyboard.press('Enter');
  await title('OpenAI: key');
  await workbench.clickQuickItem('Enter a key…');
  await title('enter a key');
  await input.fill(key);
  await page.keyboard.press('Enter');
  await title('OpenAI: model');
  await workbench.screenshot('connect-model');
  await workbench.clickQuickItem('test-model');
  await title('modes');
  await page.keyboard.press('Enter');
  await page.locator('.notification-list-item-message').filter({ hasText: 'Kedge now uses test-model' }).first().waitFor();
}
