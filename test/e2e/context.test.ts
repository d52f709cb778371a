import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { until } from '../support/until.ts';
import { type Reply, startWindowServer, textOfWire, type WindowServer } from '../support/window-server.ts';
import { SMALL_MODEL, sharedWorkbench, type Workbench } from './harness.ts';
import { conversation, newSession, promptBox, send } from './panel.ts';
import { contents, HARBOUR } from './workspace.ts';

const RULES = '# Harbour\n\nThe tide is never above the pier.\n';
const READS = 6;
const LOG = Array.from({ length: 400 }, (_, line) => `${line} the tide at the pier was measured and written down`).join('\n');

describe('the context window in the panel', () => {
  let server: WindowServer;
  let workbench: Workbench;
  let panel: Frame;
  let reads = 0;

  before(async () => {
    server = await startWindowServer({ window: SMALL_MODEL.window }, ({ messages }): Reply => {
      if (/is about to be compacted/.test(textOfWire(messages.at(-1) ?? { role: '' }))) return 'Goal: read the log of the tide.';
      if (messages.some((message) => textOfWire(message).includes('Write AGENTS.md for this repository')))
        return messages.at(-1)?.role === 'tool'
          ? 'The rules are written.'
          : [{ name: 'create_file', input: { path: 'AGENTS.md', content: RULES } }];
      if (messages.some((message) => textOfWire(message).includes('Go on'))) return 'I go on.';
      return reads++ < READS ? [{ name: 'read_file', input: { path: 'log.txt', from_line: 1 + 20 * reads } }] : 'The log is read.';
    });
  });
  after(() => server.close());
  const begin = sharedWorkbench(() => {
    const settings = { 'kedge.model': SMALL_MODEL.id, 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } };
    return { files: { ...HARBOUR, 'log.txt': LOG }, settings };
  });
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  it('is not exceeded because of compactions, is shown by a gauge, and is compacted on request', async () => {
    await send(panel, 'Read the log.');
    await panel.getByText('The log is read.').first().waitFor();
    assert.equal(server.requests.filter(({ refused }) => refused).length, 0);
    const compacted = panel.getByRole('button', { name: /^Conversation compacted from .* because the context window was nearly full\.$/ });
    await compacted.first().waitFor();

    const gauge = panel.getByRole('button', { name: /^Context: [\d.]+k? of 8\.2k tokens, \d+%/ });
    await gauge.focus();
    await workbench.page.keyboard.press('Enter');
    await panel.getByText('Tool results').waitFor();
    await workbench.screenshot('panel-context');

    await send(panel, '/compact the heights of the tide');
    const onRequest = panel.getByRole('button', { name: /^Conversation compacted from .* as you requested\.$/ });
    await onRequest.click();
    await panel.getByText('Goal: read the log of the tide.').last().waitFor();
    await workbench.screenshot('panel-compacted');
    assert.ok(server.requests.some(({ text }) => text.includes('The user asked to keep this above all: the heights of the tide')));
  });

  it('does not store a text that is too long, and returns it to the input', async () => {
    const text = `/remember ${'x'.repeat(1_001)}`;
    await send(panel, text);
    await panel.getByText('The text was not stored, because it has 1,001 characters.').first().waitFor();
    assert.equal(await promptBox(panel).inputValue(), text);
    await promptBox(panel).fill('');
  });

  it('writes a first AGENTS.md with /init, as an edit that asks', async () => {
    const rules = () => contents(workbench.folder, ['AGENTS.md']);
    await send(panel, '/init');
    const approval = panel.getByRole('region', { name: /^Approval/ });
    await approval.getByText('The tide is never above the pier.').waitFor();
    assert.deepEqual(await rules(), { 'AGENTS.md': '(no file)' }, 'nothing is written before the approval');
    await workbench.screenshot('panel-init');
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    await conversation(panel).getByText('The rules are written.').first().waitFor();
    assert.deepEqual(await rules(), { 'AGENTS.md': RULES });
    assert.equal(
      await conversation(panel).getByText('Write AGENTS.md for this repository').count(),
      0,
      'the prompt is what the user wrote',
    );
    await panel.getByRole('button', { name: 'Undo run' }).click();
    await until('the undo', async () => (await rules())['AGENTS.md'] === '(no file)');
  });

  it('mentions an earlier session by its title', async () => {
    await promptBox(panel).pressSequentially('Go on with @session:log');
    await panel.getByRole('option', { name: /^Read the log\./ }).waitFor();
    await promptBox(panel).press('Enter');
    await panel.getByRole('list', { name: 'Sent with the message' }).getByText('Read the log.').waitFor();
    await workbench.screenshot('panel-session-mention');
    await promptBox(panel).press('Enter');
    await conversation(panel).getByText('I go on.').first().waitFor();
    const { text = '' } = server.requests.at(-1) ?? {};
    assert.match(text, /What the user wrote:\\n> Read the log\./);
    assert.match(text, /The last answer:\\nThe log is read\./);
  });

  it('lists the memory, where an entry can be deleted and restored', async () => {
    await send(panel, '/remember The pier is closed at night.');
    await panel.getByText('Remembered for this workspace: The pier is closed at night.').waitFor();
    await workbench.command('Kedge: Manage Memory');
    const memory = panel.getByRole('region', { name: 'Memory' });
    await memory.getByRole('button', { name: 'Delete: The pier is closed at night.' }).click();
    await memory.getByText('Deleted: The pier is closed at night.').waitFor();
    assert.equal(await memory.getByRole('listitem').count(), 0);
    await memory.getByRole('button', { name: 'Undo: restore the deleted entry' }).click();
    await memory.getByRole('listitem').getByText('The pier is closed at night.').waitFor();
    await workbench.screenshot('panel-memory');
    await memory.getByRole('button', { name: 'Close: Memory' }).click();
    await memory.waitFor({ state: 'detached' });
  });
});
