import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { type Reply, startWindowServer, textOfWire, type WindowServer } from '../support/window-server.ts';
import { sharedWorkbench, type Workbench } from './harness.ts';
import { newSession, promptBox, send } from './panel.ts';
import { HARBOUR } from './workspace.ts';

const WINDOW = 8_192;
const READS = 6;
const LOG = Array.from({ length: 400 }, (_, line) => `${line} the tide at the pier was measured and written down`).join('\n');

describe('the context window in the panel', () => {
  let server: WindowServer;
  let workbench: Workbench;
  let panel: Frame;
  let reads = 0;

  before(async () => {
    server = await startWindowServer({ window: WINDOW }, ({ messages }): Reply => {
      if (/is about to be compacted/.test(textOfWire(messages.at(-1) ?? { role: '' }))) return 'Goal: read the log of the tide.';
      return reads++ < READS ? [{ name: 'read_file', input: { path: 'log.txt', from_line: 1 + 20 * reads } }] : 'The log is read.';
    });
  });
  after(() => server.close());
  const begin = sharedWorkbench(() => {
    const settings = {
      'kedge.model': 'openai-chat/test-model',
      'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` },
      'kedge.models': { 'openai-chat/test-model': { contextWindow: WINDOW } },
    };
    return { files: { ...HARBOUR, 'log.txt': LOG }, settings };
  });
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  it('is kept by compactions, shown by a gauge, and compacted on request', async () => {
    await send(panel, 'Read the log.');
    await panel.getByText('The log is read.').first().waitFor();
    assert.equal(server.requests.filter(({ refused }) => refused).length, 0);
    const compacted = panel.getByRole('button', { name: /^Conversation compacted from .* because the context window was nearly full\.$/ });
    await compacted.first().waitFor();

    const gauge = panel.getByRole('button', { name: /^Context: [\d.]+k? of 8\.2k tokens, \d+%/ });
    await gauge.focus();
    await workbench.page.keyboard.press('Enter');
    await panel.getByText('Results of tools').waitFor();
    await workbench.screenshot('panel-context');

    await send(panel, '/compact the heights of the tide');
    const onRequest = panel.getByRole('button', { name: /^Conversation compacted from .* as you asked\.$/ });
    await onRequest.click();
    await panel.getByText('Goal: read the log of the tide.').last().waitFor();
    await workbench.screenshot('panel-compacted');
    assert.ok(server.requests.some(({ text }) => text.includes('The user asks to keep above all: the heights of the tide')));
  });

  it('refuses to remember a text that is too long, which returns to the input', async () => {
    const text = `/remember ${'x'.repeat(1_001)}`;
    await send(panel, text);
    await panel.getByText('The text was not stored, because it has 1,001 characters.').first().waitFor();
    assert.equal(await promptBox(panel).inputValue(), text);
    await promptBox(panel).fill('');
  });
});
