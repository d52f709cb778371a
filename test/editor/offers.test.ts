import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../src/core/session/session-state.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { definitions, withConnection } from '../../src/hosts/vscode/offers/mcp-definition.ts';
import { ReadingTools } from '../../src/hosts/vscode/offers/reading-tools.ts';
import { encodeText } from '../../src/workspace/content.ts';

describe('what other assistants of VS Code are offered', function () {
  this.timeout(120_000);
  let kedge: Api['kedge'];
  const { token } = new vscode.CancellationTokenSource();
  before(async () => {
    ({ kedge } = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate());
    await vscode.workspace.fs.writeFile(kedge.fs.uri({ folder: 0, path: 'offer/tide.ts' }), encodeText('one\ntwo\n'));
    await vscode.workspace.fs.writeFile(kedge.fs.uri({ folder: 0, path: 'offer/.env' }), encodeText('KEY=treasure\n'));
  });
  after(() => vscode.workspace.fs.delete(kedge.fs.uri({ folder: 0, path: 'offer' }), { recursive: true }));

  const textOf = ({ content }: vscode.LanguageModelToolResult) =>
    content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

  it('are the reading tools, which are listed, and whose calls are logged', async () => {
    const own = vscode.lm.tools.filter(({ name }) => name.startsWith('kedge_')).map(({ name }) => name);
    assert.deepEqual(own.sort(), ['kedge_find_files', 'kedge_list_directory', 'kedge_read_file', 'kedge_search_text']);
    const call = (name: string, input: object) => vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
    assert.match(textOf(await call('kedge_read_file', { path: 'offer/tide.ts' })), /2\ttwo/);
    assert.match(textOf(await call('kedge_find_files', { glob: 'offer/*.ts' })), /offer\/tide\.ts/);
    await assert.rejects(async () => call('kedge_read_file', { path: 'offer/none.ts' }), /offer\/none\.ts/);
    const listed = await (await kedge.assistant.library()).list();
    const session = await kedge.assistant.session(listed[0]?.id ?? '');
    const finished = session?.events.filter(({ type }) => type === 'tool_finished') ?? [];
    assert.equal(finished.length, 3);
  });

  it('are not files that need approval, unless the user allows each', async () => {
    const requests: ApprovalRequest[] = [];
    let isAllowed = false;
    const tools = new ReadingTools(kedge, async (request) => requests.push(request) > 0 && isAllowed);
    const read = () => tools.call('read_file', { path: 'offer/.env' }, token);
    await assert.rejects(read(), /The user rejected this/);
    isAllowed = true;
    assert.match(textOf(await read()), /treasure/);
    assert.deepEqual(
      requests.map(({ rule, targets }) => [rule, targets?.map(({ path }) => path)]),
      Array(2).fill(['secret', ['offer/.env']]),
    );
    tools.dispose();
  });

  it('cannot call tools that are not offered', async () => {
    const tools = new ReadingTools(kedge);
    await assert.rejects(tools.call('create_file', { path: 'offer/new.ts', content: '' }, token), /create_file/);
    tools.dispose();
  });

  it('end a call that was cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const tools = new ReadingTools(kedge, async () => {
      source.cancel();
      return new Promise(() => undefined);
    });
    await assert.rejects(tools.call('read_file', { path: 'offer/.env' }, source.token));
    tools.dispose();
  });

  it('is the MCP server, if the user has turned it on', async () => {
    assert.deepEqual(definitions(kedge), []);
    const configuration = vscode.workspace.getConfiguration('kedge');
    await configuration.update('offer.mcpServer', true, vscode.ConfigurationTarget.Global);
    const client = new Client({ name: 'test', version: '1' });
    try {
      const [definition] = definitions(kedge);
      assert.ok(definition);
      const { command, args, env } = (await withConnection(definition, kedge)) as vscode.McpStdioServerDefinition;
      const strings = Object.fromEntries(Object.entries({ ...process.env, ...env }).map(([name, value]) => [name, String(value ?? '')]));
      await client.connect(new StdioClientTransport({ command, args, env: strings, stderr: 'ignore' }));
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['ask_workspace'],
      );
      const result = await client.callTool({ name: 'ask_workspace', arguments: { query: 'list files', use_case: 'a test' } });
      assert.match(JSON.stringify(result.structuredContent), /answer/);
    } finally {
      await client.close();
      await configuration.update('offer.mcpServer', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
