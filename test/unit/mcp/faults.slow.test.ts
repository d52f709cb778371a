// Servers that fail in every way. A run continues without them.
import assert from 'node:assert/strict';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { readServers } from '../../../src/mcp/config.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, lastOf, resultTexts } from '../../support/harness.ts';

/** A server on Node without the SDK. `calls` is the body of a function that gets the id of a call and `send`; `tools` is its list of tools. */
function server(calls: string, { tools = "[{name: 'go', inputSchema: {type: 'object'}}]", before = '' } = {}) {
  const program = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const call = (id) => { ${calls} };
    ${before}
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
      if (method === 'tools/list') send({ id, result: { tools: ${tools} } });
      if (method === 'tools/call') call(id);
    });`;
  return { command: process.execPath, args: ['-e', program] };
}

const TEXT = "send({ id, result: { content: [{ type: 'text', text: 'fine' }] } })";

async function run(config: object, steps = [turn(call('bad__go', {})), turn(say('Done.'))]) {
  const problems: string[] = [];
  const servers = new McpServers({
    configured: () => readServers({ bad: config }).servers,
    load: () => import('../../../src/mcp/client/index.ts'),
    start: startServer,
    onProblem: (text) => void problems.push(text),
    startMs: 60_000,
  });
  await using kedge = await assistantOn({}, steps, { mcp: servers });
  answerAll(kedge.session, { approve: true });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  await servers.close();
  assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  return { result: resultTexts(kedge.session)[0] ?? '', problems, tools: kedge.adapter.requests[0]?.tools ?? [] };
}

describe('a run', function () {
  this.timeout(120_000);

  it('reports that a server died during a call', async () => {
    assert.match((await run(server('process.exit(3)'))).result, /The MCP server bad failed: .*Try again, or continue without it/);
  });

  it('ignores lines of a server that are no messages', async () => {
    const garbage = 'process.stdout.write(\'garbage\\n{"jsonrpc": 7}\\n\\u0000\\u0000\\n[]\\n\')';
    const { result, problems } = await run(server(`${garbage}; ${TEXT}`, { before: garbage }));
    assert.deepEqual([result, problems], ['fine', []]);
  });

  it('gets the beginning of a result that is very long', async () => {
    const { result } = await run(server("send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(1e6) }] } })"));
    assert.ok(result.length < 200_000 && result.startsWith('xxx'), `${result.length} characters`);
    assert.match(result, /omitted/);
  });

  it('ends a server that sends 50 MB in one line', async () => {
    const { result } = await run(server("process.stdout.write('x'.repeat(50 * 1024 * 1024) + '\\n'); setTimeout(() => {}, 1e9)"));
    assert.match(result, /The MCP server bad failed/);
  });

  it('gets the first tools of a server with 500, and Kedge’s own tools stay', async () => {
    const tools = "Array.from({ length: 500 }, (_, n) => ({ name: 'tool' + String(n).padStart(3, '0'), inputSchema: { type: 'object' } }))";
    const { result, tools: declared } = await run(server(TEXT, { tools }), [turn(call('bad__tool007', {})), turn(say('Done.'))]);
    assert.equal(result, 'fine');
    assert.equal(declared.filter(({ name }) => name.startsWith('bad__')).length, 200);
    assert.ok(declared.some(({ name }) => name === 'read_file'));
  });

  it('is not confused by a list of tools that is not valid', async () => {
    const { result, problems } = await run(server(TEXT, { tools: "[{ name: 7 }, 'x']" }));
    assert.match(result, /There is no tool bad__go/);
    assert.match(problems.join(), /The MCP server bad cannot be used/);
  });
});
