import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PageRequest } from '../../../src/protocol/pages.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { permissionsData, SERVERS_DATA } from '../../support/permission-states.ts';

describe('the pages about permissions, MCP servers and models in the panel', function () {
  this.timeout(120_000);
  const panel = panelPage();
  const requests = async () =>
    (await panel.posted()).flatMap((each) => (each.type === 'page_request' ? [(each as unknown as { request: PageRequest }).request] : []));
  const choice = (page: Page, group: string, name: string) =>
    page.getByRole('group', { name: group, exact: true }).getByRole('button', { name, exact: true });

  it('set a permission with one click, for the session, the workspace or everywhere', async () => {
    const page = await panel.open('permissions');
    await choice(page, 'Edit files, this session', 'Ask').click();
    await choice(page, 'Where', 'Workspace').press('Enter');
    await choice(page, 'Read files, this workspace', 'Deny').press('Space');
    await choice(page, 'Where', 'Everywhere').click();
    await choice(page, 'github, everywhere', 'Allow').press('Enter');
    await choice(page, 'weather-station-of-the-northern-harbour, everywhere', 'Not set').click();
    const set = { page: 'permissions', type: 'set_permission' } as const;
    assert.deepEqual(await requests(), [
      { ...set, subject: { action: 'edit' }, level: 'session', effect: 'ask' },
      { ...set, subject: { action: 'read' }, level: 'workspace', effect: 'deny' },
      { ...set, subject: { server: 'github' }, level: 'user', effect: 'allow' },
      { ...set, subject: { server: 'weather-station-of-the-northern-harbour' }, level: 'user' },
    ]);
  });

  it('keep the focus on what was clicked, and show what applies now', async () => {
    const page = await panel.open('permissions');
    const deny = choice(page, 'Edit files, this session', 'Deny');
    await deny.press('Enter');
    assert.equal(await deny.getAttribute('aria-pressed'), 'false', 'nothing is shown that the host has not confirmed');
    const rules = [{ effect: 'deny', action: 'edit', from: 'session' }] as const;
    await deliver(page, [{ type: 'page', name: 'permissions', data: permissionsData({ rules: [...rules] }) } satisfies ToPanel]);
    assert.equal(await deny.getAttribute('aria-pressed'), 'true');
    assert.ok(await deny.evaluate((element) => element === document.activeElement));
    assert.equal(await page.getByText('Denied in this session', { exact: true }).count(), 1);
    await deny.press('Enter');
    assert.equal((await requests()).length, 1, 'what applies already is not sent again');
  });

  it('do not allow what can never be allowed, and say why', async () => {
    const page = await panel.open('permissions');
    const allow = choice(page, 'Delete files, this session', 'Allow');
    assert.deepEqual(
      [await allow.getAttribute('aria-disabled'), await allow.getAttribute('title')],
      ['true', 'Deletions cannot be allowed in advance.'],
    );
    await allow.press('Enter');
    await allow.click({ force: true });
    assert.deepEqual(await requests(), []);
    const untrusted = await panel.open('permissions-untrusted');
    for (const button of await untrusted.getByRole('button', { name: 'Allow', exact: true }).all())
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
  });

  it('revoke a permission, remove a rule, and let commands read', async () => {
    const page = await panel.open('permissions');
    await page.getByRole('button', { name: 'Revoke: requests to docs.example.com' }).click();
    await page.getByRole('button', { name: 'Remove the rule: Allow command npm test' }).press('Enter');
    await page.getByRole('checkbox').uncheck();
    await page.getByRole('button', { name: 'Edit the rules in the settings' }).click();
    assert.deepEqual(await requests(), [
      { page: 'permissions', type: 'revoke_grant', scope: 'workspace', key: '[["host","docs.example.com"],["kind","host"]]' },
      { page: 'permissions', type: 'remove_rule', level: 'user', effect: 'allow', rule: { command: 'npm test' } },
      { page: 'permissions', type: 'allow_reading_commands', isAllowed: false },
      { page: 'permissions', type: 'open_rules' },
    ]);
    const granted = page.getByRole('list', { name: 'Granted by you' });
    assert.match(await granted.getByRole('listitem').first().innerText(), /^Edits in this workspace\s+This session, .*, on this page/);
    assert.match(await granted.innerText(), /This workspace, .*, with your approval of “Run npm run lint -- --fix”/);
  });

  it('write the model and the limits of a mode when a field is left', async () => {
    const page = await panel.open('models');
    const agent = page.getByRole('group', { name: 'Agent mode' });
    const field = (name: string) => agent.getByRole('textbox', { name, exact: true });
    assert.deepEqual(
      [await field('Requests to the model').inputValue(), await field('Minutes of work').getAttribute('placeholder')],
      ['100', '240'],
    );
    await field('Minutes of work').fill('30');
    await field('Minutes of work').press('Enter');
    await field('Requests to the model').fill('');
    await field('Tool calls in one run').fill('many');
    await field('Model').fill('offline');
    await page.getByRole('group', { name: 'One run in any mode' }).getByRole('textbox', { name: 'Tokens' }).fill('50000');
    const ofSession = page.getByRole('group', { name: 'This session only, in any mode' });
    await ofSession.getByRole('textbox', { name: 'US dollars' }).fill('0.5');
    await ofSession.getByRole('textbox', { name: 'Requests to the model' }).fill('');
    await page.getByRole('button', { name: 'Choose a model', exact: true }).click();
    assert.equal(await field('Tool calls in one run').inputValue(), '', 'what is no amount is dropped');
    const models = { page: 'models' } as const;
    assert.deepEqual(await requests(), [
      { ...models, type: 'set_limit', mode: 'agent', limit: 'minutes', amount: 30 },
      { ...models, type: 'set_limit', mode: 'agent', limit: 'turns' },
      { ...models, type: 'set_mode_model', mode: 'agent', model: 'offline' },
      { ...models, type: 'set_budget', budget: 'tokens', amount: 50_000 },
      { ...models, type: 'set_session_limit', limit: 'usd', amount: 0.5 },
      { ...models, type: 'set_session_limit', limit: 'turns' },
      { ...models, type: 'choose_general_model' },
    ]);
    assert.equal(await page.getByText('This workspace lowers this limit to 30.').count(), 1);
  });

  it('start, stop and list servers, and set the use of a tool with one click', async () => {
    const page = await panel.open('servers');
    await page.getByRole('button', { name: 'Restart: github' }).click();
    await page.getByRole('button', { name: 'Start: harbour-database' }).press('Enter');
    await page.getByRole('button', { name: 'Turn on: memory' }).click();
    await page.getByRole('button', { name: 'Turn off: search' }).click();
    await choice(page, 'create_issue', 'Read-only').click();
    await choice(page, 'list_issues', 'Off').press('Space');
    await page.getByRole('button', { name: 'Add server' }).click();
    const servers = { page: 'servers' } as const;
    assert.deepEqual(await requests(), [
      { ...servers, type: 'restart_server', server: 'github' },
      { ...servers, type: 'restart_server', server: 'harbour-database' },
      { ...servers, type: 'turn_server', server: 'memory', isOn: true },
      { ...servers, type: 'turn_server', server: 'search', isOn: false },
      { ...servers, type: 'use_tool', server: 'github', tool: 'create_issue', use: 'reads' },
      { ...servers, type: 'use_tool', server: 'github', tool: 'list_issues', use: 'off' },
      { ...servers, type: 'add_server' },
    ]);
    const database = page.getByRole('region', { name: 'harbour-database', exact: true });
    await database.getByRole('button', { name: 'Log' }).press('Enter');
    assert.match(await page.getByRole('region', { name: 'Log of harbour-database' }).innerText(), /ECONNREFUSED/);
    assert.equal(await database.getByRole('status').innerText(), 'Failed');
    await deliver(page, [{ type: 'page', name: 'servers', data: { ...SERVERS_DATA, trusted: false } }]);
    assert.equal(await page.getByRole('button', { name: /^(?:Start|Restart): / }).count(), 0);
  });

  it('are opened from the line that says what runs without approval', async () => {
    const page = await panel.open('empty-agent-allowed');
    await page.getByText('Without approval: edits in this workspace').waitFor();
    await page.getByRole('button', { name: 'Permissions' }).press('Enter');
    assert.deepEqual(await panel.posted(), [{ type: 'open_page', name: 'permissions' }]);
  });
});
