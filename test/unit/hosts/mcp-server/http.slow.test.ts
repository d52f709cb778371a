import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('kedge mcp over HTTP', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let children: ChildProcess[];
  beforeEach(async () => {
    folder = await folderOf({ 'src/tide.ts': 'export function tideLevel() {\n  return 1;\n}\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([remove(folder), remove(home)]);
  });

  async function serve(env: Record<string, string> = {}): Promise<{ url: URL; said: string; child: ChildProcess }> {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    const child = spawn(process.execPath, [PROGRAM, 'mcp', '--http', '0'], { cwd: folder, env: { ...clean, KEDGE_HOME: home, ...env } });
    children.push(child);
    let said = '';
    for await (const chunk of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (said.includes('\n')) break;
    }
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
    assert.ok(url, said);
    return { url: new URL(url), said, child };
  }

  function status(url: URL, headers: Record<string, string>, body = JSON.stringify(INITIALIZE)): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const accept = 'application/json, text/event-stream';
      const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', accept, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end(body);
    });
  }

  it('answers a client that has the random token, and ends with Ctrl+C', async () => {
    const { url, said, child } = await serve();
    const token = /Bearer ([\w-]{43})"/.exec(said)?.[1];
    assert.ok(token, said);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } });
    await client.connect(transport as Transport);
    const messages: string[] = [];
    const onprogress = ({ message = '' }: { message?: string }) => void messages.push(message);
    const question = { query: 'where is tideLevel defined?', use_case: 'to rename it' };
    const result = await client.callTool({ name: 'ask_workspace', arguments: question }, undefined, { onprogress });
    assert.match(JSON.stringify(result.structuredContent), /"path":"src\/tide\.ts","lines":"1"/);
    assert.ok(messages.length > 0);
    const ended = once(child, 'close');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [130, null]);
    await client.close();
  });

  it('refuses a wrong token, other origins and other host names', async () => {
    const { url, said } = await serve({ KEDGE_MCP_TOKEN: 'token-of-the-test' });
    assert.ok(!said.includes('token-of-the-test'), 'a given token is not printed');
    const authorization = 'Bearer token-of-the-test';
    const statuses = await Promise.all([
      status(url, { authorization }),
      status(url, {}),
      status(url, { authorization: 'Bearer token-of-the-tesT' }),
      status(url, { authorization, host: 'evil.example' }),
      status(url, { authorization, origin: 'https://evil.example' }),
      status(url, { authorization, origin: 'http://localhost.evil.example' }),
      status(url, { authorization, origin: `http://localhost:${url.port}` }),
      status(url, { authorization, 'mcp-session-id': 'unknown' }),
      status(url, { authorization }, '{'),
      status(new URL('/other', url), { authorization }),
    ]);
    assert.deepEqual(statuses, [200, 401, 401, 403, 403, 403, 200, 404, 400, 404]);
  });

  it('lets the client go that was silent for longest, if many never say that they disconnect', async () => {
    const { url } = await serve({ KEDGE_MCP_TOKEN: 'token-of-the-test' });
    const headers = {
      authorization: 'Bearer token-of-the-test',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const sessions: string[] = [];
    for (let count = 0; count < 21; count++) {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(INITIALIZE) });
      assert.equal(response.status, 200);
      await response.text();
      sessions.push(response.headers.get('mcp-session-id') ?? '');
    }
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const [first = '', second = ''] = sessions;
    assert.equal(await status(url, { ...headers, 'mcp-session-id': first }, ping), 404);
    assert.equal(await status(url, { ...headers, 'mcp-session-id': second }, ping), 200);
  });
});
