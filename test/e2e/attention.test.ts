import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame } from 'playwright-core';
import { until } from '../support/until.ts';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { sharedWorkbench, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';
import { HARBOUR } from './workspace.ts';

const said = (...pieces: string[]) => TEXT_BODIES['openai-chat']?.(pieces) ?? '';
const called = (name: string, args: Record<string, unknown>) => CALL_BODIES['openai-chat']?.([{ id: 'a', name, args }]) ?? '';

describe('a run whose panel is not in sight', () => {
  let server: Server;
  let workbench: Workbench;
  let panel: Frame;
  /** Sends the response to the request that the server holds. */
  let respond: ((body: string) => void) | undefined;

  before(async () => {
    server = createServer(async (request, response) => {
      for await (const _ of request);
      respond = (body) => {
        respond = undefined;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
      };
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const begin = sharedWorkbench(() => ({
    files: HARBOUR,
    settings: {
      'kedge.model': 'openai-chat/test-model',
      'kedge.baseUrls': { 'openai-chat': `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
      // With labels, there is only space for the view that is shown, and the icon with the badge is in a menu.
      'workbench.secondarySideBar.showLabels': false,
    },
  }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const item = (text: string | RegExp) => workbench.page.locator('.statusbar-item').filter({ hasText: text });
  const notifications = () => workbench.page.locator('.notification-toast');
  const hide = async () => {
    await workbench.command('View: Hide Secondary Side Bar');
    await workbench.page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    await reachKedge();
  };
  /** Resolves when Kedge knows what the workbench shows: its process learns it later, but before a command that is called afterwards. */
  const reachKedge = async () => {
    await workbench.command('Kedge: Open Session…');
    await workbench.quickItem('How is the tide?').waitFor();
    const input = workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
    await input.press('Escape');
    await input.waitFor({ state: 'hidden' });
  };
  const held = () => until('the request', async () => respond);

  it('is in the status bar, and its end in one notification that shows it', async () => {
    const { page } = workbench;
    await item(/^\s*Kedge\s*$/).waitFor();
    await send(panel, 'How is the tide?');
    const answer = await held();
    await item('Kedge: Thinking').waitFor();
    await hide();
    answer(said('It ', 'ebbs.'));
    // VS Code removes a notification after some seconds, unless the mouse is on it.
    await notifications().filter({ hasText: 'Kedge has finished “How is the tide?”.' }).hover();
    await item('Kedge: Done').waitFor();
    await workbench.screenshot('attention-done');
    await workbench.clickNotification('Show');
    await page.locator('.part.auxiliarybar').waitFor();
    await item(/^\s*Kedge\s*$/).waitFor();
    assert.equal(await notifications().count(), 0);
  });

  it('calls for an answer in the status bar, with a badge and a notification, and not while the panel is shown', async () => {
    await choose(panel, 'Agent');
    await send(panel, 'How is the tide?');
    const answer = await held();
    await hide();
    answer(called('create_file', { path: 'note.md', content: 'Ahoy.\n' }));
    await item('Kedge: Waiting for you').waitFor();
    await notifications().filter({ hasText: 'Kedge is waiting for your answer: Create note.md?' }).waitFor();
    await workbench.screenshot('attention-waiting');
    await item('Kedge: Waiting for you').click();
    panel = await workbench.waitForPanel();
    await workbench.command('Notifications: Clear All Notifications');
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    (await held())(called('create_file', { path: 'more.md', content: 'Ahoy.\n' }));
    await panel.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await item('Kedge: Waiting for you').waitFor();
    assert.equal(await notifications().count(), 0);
    // The badge is shown once the user no longer sees the question.
    await workbench.chat.focus();
    await workbench.page.locator('.part.auxiliarybar .action-item .badge-content').filter({ hasText: '1' }).first().waitFor();
    await workbench.screenshot('attention-badge');
    assert.equal(await notifications().count(), 0);
    panel = await workbench.panelFrame();
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    (await held())(said('Written.'));
    await conversation(panel).getByText('Written.').waitFor();
  });
});
