import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import { permissionKey, type Subject } from '../../src/core/session/grant-scope.ts';
import type { Level, PermissionEffect } from '../../src/core/view/permissions.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { Pages } from '../../src/hosts/vscode/panel/pages/pages.ts';
import type { PageData, PageName } from '../../src/protocol/pages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server.ts';
import { until } from '../support/until.ts';

const MODEL = { provider: 'openai', model: 'test-model' };
const EDIT: Subject = { action: 'edit' };

/** An MCP server with one tool. */
const SERVER = `console.error('at your service');
let text = '';
process.stdin.on('data', (chunk) => {
  for (text += chunk; text.includes('\\n'); text = text.slice(text.indexOf('\\n') + 1)) {
    const { id, method, params } = JSON.parse(text.slice(0, text.indexOf('\\n')));
    const reply = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    if (method === 'initialize')
      reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tides', version: '1' } });
    if (method === 'tools/list') reply({ tools: [{ name: 'height', description: 'The height', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'High.' }] });
  }
});`;
const TIDES = { command: process.execPath, args: ['-e', SERVER], env: { ELECTRON_RUN_AS_NODE: '1' } };

describe('a click on a page', function () {
  this.timeout(300_000);
  let kedge: Kedge;
  let server: ResponsesServer | undefined;
  let pages: Pages;
  let posted: ToPanel[];
  const configuration = () => vscode.workspace.getConfiguration('kedge');
  const { Global, Workspace } = vscode.ConfigurationTarget;
  function dataOf<P extends PageName>(name: P): PageData[P] | undefined {
    const data = posted.flatMap((each) => (each.type === 'page' && each.name === name ? [each.data] : []));
    return data.at(-1) as PageData[P] | undefined;
  }
  const file = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri as vscode.Uri, 'permission-test.txt');

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    await kedge.keys.set('openai', 'a-key');
  });
  beforeEach(async () => {
    posted = [];
    pages = new Pages(kedge, (message) => posted.push(message));
    await kedge.sessions.show(await kedge.assistant.newSession());
  });
  afterEach(async () => {
    pages.dispose();
    await server?.close();
    await kedge.revokeGrants();
    for (const target of [Global, Workspace]) await configuration().update('policy.rules', undefined, target);
    for (const key of ['baseUrls', 'mcpServers']) await configuration().update(key, undefined, Global);
    await vscode.workspace.fs.delete(file()).then(undefined, () => undefined);
  });
  after(() => kedge.keys.set('openai', undefined));

  /** Lets the model call a tool once. Returns the decision about it; an approval is rejected. */
  async function decisionOn(name: string, input: object, mode: 'agent' | 'ask' = 'agent'): Promise<string | undefined> {
    server = await startResponsesServer({ turns: [{ calls: [{ name, input }] }, { text: 'Done.' }] });
    await configuration().update('baseUrls', { openai: server.url }, Global);
    await until('the address', async () => kedge.settings.server('openai').baseUrl === server?.url);
    const session: Session = await kedge.sessions.current();
    const before = session.events.length;
    const remove = session.subscribe((event) => {
      if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: false });
    });
    await session.prompt({ text: 'go', mode, model: MODEL });
    remove();
    await server.close();
    const decided = session.events.slice(before).flatMap((event) => {
      if (event.type === 'tool_started') return [event.decision];
      return event.type === 'tool_finished' ? (event.decision ?? []) : [];
    });
    return decided[0] && `${decided[0].kind} ${decided[0].rule}`;
  }
  const edit = async () => {
    const decision = await decisionOn('create_file', { path: 'permission-test.txt', content: 'new' });
    await vscode.workspace.fs.delete(file()).then(undefined, () => undefined);
    return decision;
  };
  const set = async (level: Level, effect?: PermissionEffect) => {
    await pages.handle({ page: 'permissions', type: 'set_permission', subject: EDIT, level, ...(effect && { effect }) });
    await until('the page', async () => dataOf('permissions')?.rows[1]?.set[level] === effect);
  };
  const row = () => dataOf('permissions')?.rows[1];

  it('sets a permission of the session, which decides the next call', async () => {
    await pages.show('permissions');
    assert.deepEqual([row()?.effect, row()?.by], ['ask', 'policy']);
    await set('session', 'allow');
    assert.deepEqual([row()?.effect, row()?.by], ['allow', 'session']);
    assert.equal(await edit(), 'allow edits-granted');
    await set('session', 'deny');
    assert.equal(await edit(), 'deny rule');
    assert.equal(configuration().inspect('policy.rules')?.globalValue, undefined);
  });

  it('writes a rule into the settings of the workspace or the user, and nothing else', async () => {
    const other = { effect: 'deny', path: 'db' };
    await configuration().update('policy.rules', [other], Workspace);
    await pages.show('permissions');
    await set('workspace', 'deny');
    assert.deepEqual(configuration().inspect('policy.rules')?.workspaceValue, [other, { effect: 'deny', action: 'edit' }]);
    assert.equal(await edit(), 'deny rule');
    await set('workspace');
    assert.deepEqual(configuration().inspect('policy.rules')?.workspaceValue, [other]);
    await set('user', 'allow');
    assert.deepEqual(configuration().inspect('policy.rules')?.globalValue, [{ effect: 'allow', action: 'edit' }]);
    assert.equal(await edit(), 'allow rule');
    await pages.handle({ page: 'permissions', type: 'remove_rule', level: 'workspace', effect: 'deny', rule: { path: 'db' } });
    assert.equal(configuration().inspect('policy.rules')?.workspaceValue, undefined);
    await set('user');
    assert.equal(configuration().inspect('policy.rules')?.globalValue, undefined);
  });

  it('allows edits in the workspace outside of its files, which can be revoked', async () => {
    await pages.show('permissions');
    await set('workspace', 'allow');
    assert.deepEqual(kedge.grants.list(), [{ kind: 'edits' }]);
    assert.equal(configuration().inspect('policy.rules')?.workspaceValue, undefined);
    const [grant] = dataOf('permissions')?.grants ?? [];
    assert.deepEqual([grant?.scope, typeof grant?.at], ['workspace', 'number']);
    assert.equal(await edit(), 'allow edits-granted');
    await pages.handle({ page: 'permissions', type: 'revoke_grant', scope: 'workspace', key: permissionKey({ kind: 'edits' }) });
    assert.deepEqual([kedge.grants.list(), dataOf('permissions')?.grants], [[], []]);
    assert.equal(await edit(), 'ask edit');
  });

  it('is refused where something can never be allowed', async () => {
    await pages.show('permissions');
    const forbidden = {
      page: 'permissions',
      type: 'set_permission',
      subject: { action: 'delete' },
      level: 'user',
      effect: 'allow',
    } as const;
    await assert.rejects(pages.handle(forbidden), /cannot be allowed in advance/);
    await assert.rejects(pages.handle({ ...forbidden, subject: { action: 'command' } }), /Only specific commands/);
    assert.equal(configuration().inspect('policy.rules')?.globalValue, undefined);
  });

  it('starts an MCP server, and gives its tool to Ask mode', async () => {
    await configuration().update('mcpServers', { tides: TIDES, broken: { command: '' } }, Global);
    await pages.show('servers');
    const states = () => dataOf('servers')?.servers.map(({ name, state }) => `${name} ${state}`);
    await until('the servers', async () => states()?.join() === 'broken invalid,tides stopped');
    await pages.handle({ page: 'servers', type: 'restart_server', server: 'tides' });
    assert.deepEqual(states(), ['broken invalid', 'tides running']);
    await until('the log', async () => /at your service/.test(dataOf('servers')?.servers[1]?.log ?? ''));
    assert.equal(await decisionOn('tides__height', {}, 'ask'), 'deny unknown-tool');
    assert.equal(await decisionOn('tides__height', {}), 'ask mcp');
    await pages.handle({ page: 'servers', type: 'use_tool', server: 'tides', tool: 'height', use: 'reads' });
    const { readOnlyTools } = configuration().inspect<Record<string, { readOnlyTools?: string[] }>>('mcpServers')?.globalValue?.tides ?? {};
    assert.deepEqual(readOnlyTools, ['height']);
    await until('the use', async () => dataOf('servers')?.servers[1]?.tools?.[0]?.use === 'reads');
    assert.equal(await decisionOn('tides__height', {}, 'ask'), 'allow mcp-read-only');
    await pages.handle({ page: 'servers', type: 'turn_server', server: 'tides', isOn: false });
    await until('the end', async () => states()?.join() === 'broken invalid,tides off');
  });

  it('sets the model and the limits of a mode', async () => {
    const key = 'limits.agent';
    await pages.show('models');
    await pages.handle({ page: 'models', type: 'set_limit', mode: 'agent', limit: 'turns', amount: 7 });
    await until('the limit', async () => kedge.settings.limits('agent').turns === 7);
    assert.deepEqual([configuration().inspect(key)?.globalValue, dataOf('models')?.modes[2]?.set], [{ turns: 7 }, { turns: 7 }]);
    await pages.handle({ page: 'models', type: 'set_limit', mode: 'agent', limit: 'turns' });
    assert.equal(configuration().inspect(key)?.globalValue, undefined);
    await pages.handle({ page: 'models', type: 'set_session_limit', limit: 'usd', amount: 0.5 });
    assert.deepEqual([dataOf('models')?.session, (await kedge.sessions.current()).state.limits], [{ usd: 0.5 }, { usd: 0.5 }]);
    await pages.handle({ page: 'models', type: 'set_session_limit', limit: 'usd' });
    assert.deepEqual(dataOf('models')?.session, {});
    await pages.handle({ page: 'models', type: 'set_mode_model', mode: 'plan', model: 'openai/test-model' });
    await until('the model', async () => dataOf('models')?.modes[1]?.own === 'openai/test-model');
    await assert.rejects(pages.handle({ page: 'models', type: 'set_mode_model', mode: 'plan', model: 'nobody/x' }), /nobody/);
    await pages.handle({ page: 'models', type: 'set_mode_model', mode: 'plan', model: '' });
    await until('the general model', async () => dataOf('models')?.modes[1]?.own === '');
  });

  it('can be made on pages that commands open', async () => {
    const commands = await vscode.commands.getCommands(true);
    for (const command of ['kedge.manageGrants', 'kedge.manageServers', 'kedge.manageModels']) assert.ok(commands.includes(command));
    await vscode.commands.executeCommand('kedge.manageGrants');
    await vscode.commands.executeCommand('kedge.manageServers');
  });
});
