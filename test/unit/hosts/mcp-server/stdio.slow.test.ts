import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Answer as AnswerOf } from '../../../../src/app/answer/answer.ts';
import type { Source } from '../../../../src/app/answer/workspace-citations.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type ResponsesServer, type ResponsesServerOptions, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

type Answer = AnswerOf<Source>;

const FILES = {
  'src/main.ts': "import { tideLevel } from './tide.ts';\nconsole.log(tideLevel());\n",
  'src/tide.ts': 'export function tideLevel() {\n  return 1;\n}\n',
  '.env': 'TOKEN=very-secret\n',
};
const QUESTION = { query: 'where is tideLevel defined?', use_case: 'I want to rename it.' };
const read = (path: string) => ({ calls: [{ name: 'read_file', input: { path } }] });

describe('kedge mcp over standard input and output', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let servers: ResponsesServer[];
  let clients: Client[];
  beforeEach(async () => {
    folder = await folderOf(FILES);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    servers = [];
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all([...servers.map((server) => server.close()), remove(folder), remove(home)]);
  });

  async function modelOf(options: ResponsesServerOptions): Promise<Record<string, string>> {
    const server = await startResponsesServer(options);
    servers.push(server);
    return { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
  }

  function environment(more: Record<string, string> = {}): Record<string, string> {
    const clean = Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)) as [string, string][];
    return { ...Object.fromEntries(clean), KEDGE_HOME: home, ...more };
  }

  async function connect({ env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    clients.push(client);
    const options = {
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      cwd: folder,
      env: environment(env),
      stderr: 'ignore' as const,
    };
    await client.connect(new StdioClientTransport(options));
    // The client checks structured content only against schemas that it has listed.
    await client.listTools();
    return client;
  }

  async function ask(client: Client, input = QUESTION): Promise<Answer> {
    const result = (await client.callTool({ name: 'ask_workspace', arguments: input })) as CallToolResult;
    const [text] = result.content;
    assert.ok(text?.type === 'text' && !result.isError, JSON.stringify(result));
    assert.deepEqual(JSON.parse(text.text), result.structuredContent, 'the text and the structured content are the same');
    return result.structuredContent as Answer;
  }

  it('answers with the places that it has opened, and logs the run as a session', async () => {
    const client = await connect();
    const answer = await ask(client);
    assert.match(answer.answer, /src\/tide\.ts:1/);
    assert.deepEqual(
      [answer.sources.find(({ path }) => path === 'src/tide.ts'), answer.confidence, answer.note],
      [{ path: 'src/tide.ts', lines: '1' }, 'high', undefined],
    );
    await client.close();
    const listing = spawn(process.execPath, [PROGRAM, 'sessions'], { cwd: folder, env: environment() });
    let listed = '';
    for await (const chunk of listing.stdout) listed += chunk;
    assert.match(listed, /where is tideLevel defined\?/);
  });

  it('removes a place that was not opened, although the model claims it', async () => {
    const text = 'It is in src/tide.ts:1-3, used in src/main.ts:2 and in src/made/up.ts:12.\n\nConfidence: high';
    const client = await connect({ env: await modelOf({ turns: [read('src/tide.ts'), { text }] }) });
    const { answer, sources, confidence, note } = await ask(client);
    assert.equal(answer, 'It is in src/tide.ts:1-3, used in [removed: not opened] and in [removed: not opened].');
    assert.deepEqual([sources, confidence], [[{ path: 'src/tide.ts', lines: '1-3' }], 'medium']);
    assert.match(note ?? '', /2 cited places were removed.*src\/main\.ts:2, src\/made\/up\.ts:12/);
  });

  it('says that nothing was found', async () => {
    const client = await connect();
    const { sources, confidence, note } = await ask(client, { query: 'where is zorkmidIndex defined?', use_case: 'to call it' });
    assert.deepEqual([sources, confidence], [[], 'low']);
    assert.match(note ?? '', /found nothing/);
  });

  it('makes at most 10 tool calls, and then answers from what it has read', async () => {
    const env = await modelOf({
      turns: ({ body }) =>
        JSON.stringify(body.input).includes('limit of tool calls is reached')
          ? { text: 'It is in src/tide.ts:1.' }
          : {
              calls: Array.from({ length: 4 }, (_, index) => ({
                name: 'read_file',
                input: { path: 'src/tide.ts', from_line: (index % 3) + 1 },
              })),
            },
    });
    const client = await connect({ env });
    const { sources, confidence, note } = await ask(client);
    assert.deepEqual([sources, confidence], [[{ path: 'src/tide.ts', lines: '1' }], 'medium']);
    assert.match(note ?? '', /limit of the run was reached/);
    const last = servers[0]?.requests.at(-1)?.body.input ?? [];
    const outputs = last.filter(({ type }) => type === 'function_call_output').map(({ output }) => String(JSON.stringify(output)));
    assert.equal(outputs.filter((output) => output.includes('tideLevel') || output.includes('return 1')).length <= 10, true);
    assert.ok(outputs.length >= 10);
    await client.close();
    const logs = (await readdir(home, { recursive: true })).filter((path) => path.endsWith('.jsonl'));
    const events = (await Promise.all(logs.map((path) => readFile(join(home, path), 'utf8')))).join('').split('\n').filter(Boolean);
    const limits = events.map((line) => JSON.parse(line)).filter(({ type }) => type === 'session_limit_set');
    assert.deepEqual(
      limits.map(({ amount }) => amount),
      [10, 0, undefined],
      'the user can continue the session without the limits',
    );
  });

  it('cuts off an answer that is too long', async () => {
    const client = await connect({ env: await modelOf({ turns: [{ text: 'word '.repeat(20_000) }] }) });
    const { answer, note } = await ask(client);
    assert.ok(answer.length < 10_000, `${answer.length} characters`);
    assert.match(note ?? '', /cut off/);
  });

  it('does not show a secret, because nobody can approve it', async () => {
    const client = await connect({ env: await modelOf({ turns: [read('.env'), { text: 'The token is in .env:1.' }] }) });
    const { sources } = await ask(client);
    assert.deepEqual(sources, []);
    assert.ok(!JSON.stringify(servers[0]?.requests.map(({ body }) => body)).includes('very-secret'));
  });

  it('reports progress, with the title of each call', async () => {
    const client = await connect();
    const messages: string[] = [];
    const onprogress = ({ message = '' }: { message?: string }) => void messages.push(message);
    await client.callTool({ name: 'ask_workspace', arguments: QUESTION }, undefined, { onprogress });
    assert.ok(messages.includes('Search tideLevel'), messages.join());
  });

  it('logs the steps of a question for a client that sets a level', async () => {
    const client = await connect();
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    await ask(client);
    assert.deepEqual(logged, []);
    await client.setLoggingLevel('info');
    await ask(client);
    assert.deepEqual(logged[1], { level: 'info', logger: 'ask_workspace', data: 'Search tideLevel' });
    const { length } = logged;
    await client.setLoggingLevel('error');
    await ask(client);
    assert.equal(logged.length, length);
  });

  it('ends the run of a question that is cancelled', async () => {
    const env = await modelOf({ turns: [], hang: 'before' });
    const client = await connect({ env });
    const controller = new AbortController();
    const asking = client.callTool({ name: 'ask_workspace', arguments: QUESTION }, undefined, {
      signal: controller.signal,
      onprogress: () => undefined,
    });
    const refused = assert.rejects(asking);
    while (!servers[0]?.requests[0]) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await refused;
    assert.ok((await servers[0].requests[0].closed) > 0, 'the request to the model is closed');
    assert.equal((await client.listTools()).tools.length, 1, 'the server still answers');
  });

  it('offers no tool that writes, and with --raw the reading tools beside the question', async () => {
    const { tools } = await (await connect()).listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['ask_workspace'],
    );
    const raw = await connect({ args: ['--raw'] });
    const all = (await raw.listTools()).tools;
    assert.deepEqual(all.map(({ name }) => name).sort(), ['ask_workspace', 'find_files', 'list_directory', 'read_file', 'search_text']);
    assert.ok(all.every(({ annotations }) => annotations?.readOnlyHint === true));
    await assert.rejects(raw.callTool({ name: 'create_file', arguments: { path: 'x', content: 'x' } }), /There is no tool "create_file"/);
    await assert.rejects((await connect()).callTool({ name: 'read_file', arguments: { path: 'src/tide.ts' } }), /There is no tool/);
  });

  it('judges the calls of a client by the policy', async () => {
    const client = await connect({ args: ['--raw', '--deny', 'path:src/main.ts'] });
    const text = async (name: string, input: Record<string, unknown>) => {
      const { content, isError = false } = (await client.callTool({ name, arguments: input })) as CallToolResult;
      return `${isError} ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join()}`;
    };
    const texts = await Promise.all([
      text('read_file', { path: 'src/tide.ts' }),
      text('read_file', { path: 'src/main.ts' }),
      text('read_file', { path: '.env' }),
      text('read_file', { path: '../elsewhere.txt' }),
      text('read_file', { wrong: true }),
    ]);
    assert.match(texts[0] as string, /^false 1\texport function tideLevel/);
    for (const denied of texts.slice(1)) assert.match(denied, /^true /);
    assert.ok(!texts.join().includes('very-secret') && !texts.join().includes('console.log'));
  });

  it('explains why a question cannot be answered', async () => {
    const client = await connect({ env: { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: '' } });
    const result = (await client.callTool({ name: 'ask_workspace', arguments: QUESTION })) as CallToolResult;
    assert.match(JSON.stringify(result), /"isError":true/);
    assert.match(JSON.stringify(result), /OPENAI_API_KEY/);
    const wrong = (await client.callTool({ name: 'ask_workspace', arguments: { query: 7 } })) as CallToolResult;
    assert.match(JSON.stringify(wrong), /"isError":true.*|arguments do not fit/);
  });

  it('survives malformed messages, and ends with its input', async () => {
    const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: folder, env: environment() });
    const ended = once(child, 'close');
    const garbage = [
      ...['{', 'null', '[]', '""', '7', '\u0000\u0001', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"x"}', '[[[['.repeat(1_000)],
      ...[
        { id: {}, method: 'tools/call' },
        { id: 1, method: 7 },
        { method: 'notifications/progress', params: 'x' },
        { id: 9, result: 1 },
      ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })),
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: '__proto__', arguments: [] } }),
      JSON.stringify({
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'ask_workspace', arguments: { query: '', use_case: {} } },
      }),
      JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'no/such/method' }),
      '{"jsonrpc":"2.0","method":"x","params":{"a":"'.concat('x'.repeat(12_000_000)),
    ];
    for (const line of garbage) child.stdin.write(`${line}\n`);
    child.stdin.write(Buffer.from([0xff, 0xfe, 0x80, 10]));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'ping' })}\n`);
    let out = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      out += chunk;
      if (/"id":99\b/.test(out)) break;
    }
    assert.ok(
      out
        .split('\n')
        .filter(Boolean)
        .every((line) => JSON.parse(line).jsonrpc === '2.0'),
      'only messages are written',
    );
    child.stdin.end();
    assert.deepEqual(await ended, [0, null]);
  });
});
