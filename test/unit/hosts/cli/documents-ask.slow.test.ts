import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Answer } from '../../../../src/app/answer/answer.ts';
import type { DocumentSource } from '../../../../src/app/answer/documents.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

const GUIDE = `# Deploy

## Rollback

${'Run `tide rollback` twice, because the first call only stops the new release. '.repeat(30)}

## Costs

${'A deployment costs nothing, and neither does a rollback. '.repeat(40)}
`;
const QUERY = 'How do I roll back a deployment, is one rollback enough?';
const SEARCH: Turn = { calls: [{ name: 'documents_search', input: { query: 'rollback release', limit: 1 } }] };

describe('questions about documents, from the terminal and over MCP', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer | undefined;
  before(async () => {
    folder = await folderOf({ 'docs/deploy.md': GUIDE, 'docs/other.md': '# Other\n\nNothing about it.\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    const added = await run(['docs', 'add', 'handbook', 'docs']);
    assert.equal(added.code, 0, added.stderr);
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  after(() => Promise.all([remove(folder), remove(home)]));

  function environment(more: Record<string, string> = {}): Record<string, string> {
    const clean = Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)) as [string, string][];
    return { ...Object.fromEntries(clean), KEDGE_HOME: home, ...more };
  }

  async function modelOf(turns: readonly Turn[]): Promise<Record<string, string>> {
    server = await startResponsesServer({ turns });
    return { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
  }

  async function run(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => {
        let text = '';
        for await (const chunk of stream.setEncoding('utf8')) text += chunk;
        return text;
      }),
    );
    const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('close', resolve)));
    return { code, stdout: stdout ?? '', stderr: stderr ?? '' };
  }

  /** The answer of a model that has seen the passage about the rollback. */
  const said = (place: string): Turn => ({
    text: `Call it twice [handbook/docs/deploy.md:${place}], see [handbook/docs/other.md:1].\n\nConfidence: high`,
  });

  it('are answered with sources and a confidence, which are told apart', async () => {
    const env = await modelOf([SEARCH, said('5')]);
    const { code, stdout } = await run(['docs', 'ask', QUERY, '--use-case', 'a runbook'], env);
    assert.equal(code, 0);
    assert.match(stdout, /^Call it twice \[handbook\/docs\/deploy\.md:5\]/);
    assert.match(stdout, /\nSources\n- handbook\/docs\/deploy\.md, lines \d+-\d+, Deploy > Rollback\n/);
    assert.match(stdout, /\nConfidence: medium\..* 1 cited place was removed.*other\.md:1/);
    assert.equal(stdout.match(/confidence/gi)?.length, 1, 'the line of the model is not printed');
    const request = JSON.stringify(server?.requests[0]?.body);
    assert.match(request, /a runbook/);
    assert.doesNotMatch(request, /"read_file"/);
  });

  it('are answered as one line of JSON', async () => {
    const { stdout } = await run(['docs', 'ask', QUERY, '--json'], await modelOf([SEARCH, said('5')]));
    const { answer, sources, confidence, session, usage } = JSON.parse(stdout);
    assert.match(answer, /^Call it twice/);
    assert.deepEqual([sources.length, sources[0].document, confidence], [1, 'docs/deploy.md', 'medium']);
    assert.ok(session && usage.input > 0);
  });

  it('name a collection that does not exist', async () => {
    const { code, stderr } = await run(['docs', 'ask', QUERY, '-c', 'handbok']);
    assert.equal(code, 2);
    assert.match(stderr, /no collection "handbok"\. The collections are: handbook/);
  });

  it('are answered by quotations without a model', async () => {
    const { stdout } = await run(['docs', 'ask', 'rollback of a release']);
    assert.match(stdout, /> .*tide rollback/);
    assert.match(stdout, /Sources\n- handbook\/docs\/deploy\.md/);
  });

  async function overMcp(client: Client): Promise<Answer<DocumentSource>> {
    const { tools } = await client.listTools();
    assert.match(tools.find(({ name }) => name === 'ask_documents')?.description ?? '', /Collections: handbook\./);
    const input = { query: QUERY, use_case: 'a runbook', collections: ['handbook'] };
    const result = (await client.callTool({ name: 'ask_documents', arguments: input })) as CallToolResult;
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent as unknown as Answer<DocumentSource>;
  }

  it('get the same answer over standard input and output and over HTTP', async () => {
    const env = await modelOf([SEARCH, said('5'), SEARCH, said('5')]);
    const stdio = new Client({ name: 'test', version: '1.0.0' });
    await stdio.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: folder, env: environment(env), stderr: 'ignore' }),
    );
    const first = await overMcp(stdio);
    await stdio.close();
    assert.deepEqual([first.sources[0]?.section, first.confidence], ['Deploy > Rollback', 'medium']);

    const token = 'token-of-the-test';
    const child = spawn(process.execPath, [PROGRAM, 'mcp', '--http', '0'], {
      cwd: folder,
      env: environment({ ...env, KEDGE_MCP_TOKEN: token }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const url = await new Promise<string>((resolve) => {
        let text = '';
        child.stderr.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
          const [address] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text) ?? [];
          if (address) resolve(address);
        });
      });
      const http = new Client({ name: 'test', version: '1.0.0' });
      await http.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      );
      assert.deepEqual(await overMcp(http), first);
      await http.close();
    } finally {
      child.kill();
    }
  });

  it('are refused over MCP for a collection that is left out', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: folder, env: environment(), stderr: 'ignore' }),
    );
    const result = (await client.callTool({
      name: 'ask_documents',
      arguments: { query: QUERY, use_case: 'x', collections: ['secret'] },
    })) as CallToolResult;
    assert.equal(result.isError, true);
    assert.match(JSON.stringify(result.content), /no collection .*secret.*handbook/);
    await client.close();
  });
});
