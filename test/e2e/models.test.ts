import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer, type WireAnswer, type WireServer } from '../support/wire-server.ts';
import { sharedWorkbench, type Workbench } from './harness.ts';
import { choose, newSession, promptBox, send } from './panel.ts';
import { HARBOUR } from './workspace.ts';

const answer = (...pieces: string[]) => TEXT_BODIES['openai-chat']?.(pieces) ?? '';

describe('a real model in the panel', () => {
  const answers: WireAnswer[] = [];
  let server: WireServer;
  let workbench: Workbench;
  let panel: Frame;

  before(async () => {
    server = await startWireServer(answers, 'text/event-stream');
  });
  after(() => server.close());
  const begin = sharedWorkbench(() => {
    const limits = { 'kedge.limits.agent': { turns: 1 } };
    const settings = { ...limits, 'kedge.model': 'openai-chat/test-model', 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } };
    return { files: HARBOUR, settings };
  });
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });
  const answersAre = (...next: WireAnswer[]) => {
    answers.splice(0, answers.length, ...next);
    server.requests.length = 0;
  };
  const button = (name: string) => panel.getByRole('button', { name, exact: true });

  it('shows a countdown before the next attempt, and retries immediately on request', async () => {
    const limited = { status: 429, headers: { 'retry-after': '90' }, body: '{"error":{"message":"Slow down."}}' };
    answersAre(limited, { body: answer('The tide ', 'turns.') });
    await send(panel, 'How is the tide?');
    await panel
      .getByText(/^Rate limited\. Trying again in \d+ (s|min) \(2 of 5\)$/)
      .last()
      .waitFor();
    await workbench.screenshot('panel-waiting');
    await button('Try now').click();
    await panel.getByText('The tide turns.').first().waitFor();
    assert.equal(server.requests.length, 2);
  });

  it('continues after a limit with one click', async () => {
    const read = CALL_BODIES['openai-chat']?.([{ id: 'call-1', name: 'read_file', args: { path: 'src/tide.ts' } }]);
    answersAre({ body: read ?? '' }, { body: answer('The tide ', 'turns.') });
    await choose(panel, 'Agent');
    await send(panel, 'How is the tide?');
    await panel.getByRole('region', { name: 'The run is paused' }).getByText('Paused at a limit').waitFor();
    await workbench.screenshot('panel-limit');
    assert.equal(server.requests.length, 1);
    await button('Continue').click();
    await panel.getByText('The tide turns.').first().waitFor();
    assert.equal(server.requests.length, 2);
    await choose(panel, 'Ask');
  });

  it('continues an incomplete answer', async () => {
    const whole = answer('The tide ', 'turns.');
    answersAre({ body: whole.slice(0, whole.indexOf('data:', 10)), after: 'drop' }, { body: answer('turns.') });
    await send(panel, 'How is the tide?');
    await button('Continue').click();
    await panel.getByText('The tide turns.').first().waitFor();
    assert.match(server.requests.at(-1)?.raw.toString() ?? '', /was cut off before it was complete/);
  });

  it('receives a pasted image', async () => {
    answersAre({ body: answer('An anchor.') });
    const data = (await readFile(join(import.meta.dirname, '../../media/icon.png'))).toString('base64');
    await promptBox(panel).evaluate((box, base64) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
      box.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }));
    }, data);
    const thumbnail = panel.getByRole('list', { name: 'Images' }).getByRole('img');
    await thumbnail.waitFor();
    assert.ok(await thumbnail.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth > 0)));
    await send(panel, 'What is this?');
    await panel.getByText('An anchor.').first().waitFor();
    await workbench.screenshot('panel-image');
    assert.ok(server.requests[0]?.raw.includes(`data:image/png;base64,${data}`));
  });
});
