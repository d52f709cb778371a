import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resultText } from '../../../src/core/model/messages.ts';
import type { Tool, ToolOutput } from '../../../src/core/run/tool.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { schemaValidator } from '../../../src/mcp/client/schemas.ts';
import { type McpServerConfig, readServers } from '../../../src/mcp/config.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { fingerprintOf, toolName } from '../../../src/mcp/tools.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { withoutLongTimers } from '../../support/clock.ts';
import { executeContext } from '../../support/context.ts';
import { assistantOn, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';
import { isNeverDenied } from '../../support/mcp-rules.ts';
import { type ReceivedRequest, startResponsesServer } from '../../support/responses-server.ts';

const root = join(import.meta.dirname, '../../..');
const everything = (more: object = {}): McpServerConfig => ({
  command: process.execPath,
  args: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
  ...more,
});
const changing = (): McpServerConfig => ({ command: process.execPath, args: [join(root, 'test/support/mcp-server.ts')] });

async function serveOverHttp(): Promise<{ port: number; stop(): Promise<unknown> }> {
  const finder = createServer().listen(0, '127.0.0.1');
  await once(finder, 'listening');
  const { port } = finder.address() as AddressInfo;
  finder.close();
  const { command, args = [] } = everything() as { command: string; args?: string[] };
  const server = spawn(command, [...args, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of server.stderr) if (String(line).includes('listening')) break;
  return {
    port,
    stop: () => {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      return ended;
    },
  };
}

class Servers extends McpServers implements AsyncDisposable {
  readonly problems: string[];
  constructor(configs: Record<string, McpServerConfig>, problems: string[] = []) {
    super({
      configured: () => new Map(Object.entries(configs)),
      load: () => import('../../../src/mcp/client/index.ts'),
      start: startServer,
      onProblem: (text) => void problems.push(text),
    });
    this.problems = problems;
  }
  async tool(name: string, mode: Mode = 'agent'): Promise<Tool> {
    const found = (await this.toolsFor(mode, isNeverDenied)).find((tool) => tool.name === name);
    if (!found) throw new Error(`There is no tool ${name}.`);
    return found;
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

async function use(tool: Tool, input: unknown, signal = new AbortController().signal): Promise<ToolOutput> {
  const prepared = await tool.prepare(input, signal);
  return prepared.execute(executeContext(signal));
}

const texts = ({ content }: ToolOutput) =>
  typeof content === 'string' ? content : resultText({ type: 'tool_result', callId: '', name: '', content });

describe('an MCP server', () => {
  it('offers its tools in Agent mode, and none of them counts as read-only', async () => {
    await using servers = new Servers({ everything: everything() });
    const tools = await servers.toolsFor('agent', isNeverDenied);
    assert.ok(tools.length > 5, 'the server has tools');
    assert.ok(tools.every(({ effect, source }) => effect === 'external' && source === 'mcp:everything'));
    assert.equal(texts(await use(await servers.tool('everything__echo'), { message: 'hello' })), 'Echo: hello');
  });

  it('offers in Ask and Plan only tools that the user, not the server, declares read-only', async () => {
    await using unmarked = new Servers({ everything: everything() });
    assert.deepEqual([await unmarked.toolsFor('ask', isNeverDenied), await unmarked.toolsFor('plan', isNeverDenied)], [[], []]);
    await using marked = new Servers({ everything: everything({ readOnlyTools: ['echo'] }) });
    for (const mode of ['ask', 'plan'] as const) {
      const tools = await marked.toolsFor(mode, isNeverDenied);
      assert.deepEqual(
        tools.map(({ name, effect }) => [name, effect]),
        [['everything__echo', 'readonly']],
      );
    }
  });

  it('returns images, and describes other binary content', async () => {
    await using servers = new Servers({ everything: everything() });
    const { content } = await use(await servers.tool('everything__get-tiny-image'), {});
    assert.ok(Array.isArray(content) && content.some((part) => part.type === 'image' && part.data.length > 100));
  });

  it('is not called with arguments that do not fit the schema', async () => {
    await using servers = new Servers({ everything: everything() });
    const tool = await servers.tool('everything__echo');
    await assert.rejects(tool.prepare({ message: 7 }, new AbortController().signal), /arguments of everything__echo do not fit/);
  });

  it('cannot have its own regular expression run by Kedge', () => {
    const validator = schemaValidator();
    const fits = (schema: object, input: unknown) => validator.getValidator(schema as { type: 'object' })(input).valid;
    const evil = { type: 'string', pattern: '^(a+)+$' };
    const long = `${'a'.repeat(60)}!`;
    const schema = { type: 'object', properties: { text: evil, pattern: { type: 'string' } }, required: ['text'] };
    assert.ok(fits(schema, { text: long, pattern: 'x' }));
    assert.ok(!fits(schema, {}), 'the rest of the schema is still checked');
    assert.ok(!fits(schema, { text: long, pattern: 7 }), 'and a property of that name');
    const without = [
      { type: 'object', patternProperties: { [evil.pattern]: { type: 'string' } } },
      { type: 'object', properties: { [long]: { oneOf: [evil, { type: 'string' }] } } },
      { type: 'object', not: { properties: { [long]: evil } } },
    ];
    for (const each of without) assert.ok(fits(each, { [long]: long }), 'what is not checked is taken');
    const unusable = [{ $ref: 'https://example.com/schema' }, { $ref: '#' }, { $id: 'a', allOf: [{ $id: 'a', type: 'number' }] }];
    for (const each of unusable) assert.ok(fits(each, {}), 'a schema that cannot be used checks nothing');
  });

  it('that cannot be started is reported once, and the run continues without it', async () => {
    await using servers = new Servers({ gone: { command: join(root, 'no-such-program') }, everything: everything() });
    assert.ok((await servers.toolsFor('agent', isNeverDenied)).length > 0);
    await servers.toolsFor('agent', isNeverDenied);
    assert.equal(servers.problems.length, 1);
    assert.match(servers.problems[0] as string, /The MCP server gone cannot be used: .*ENOENT/);
  });

  it('can be used over HTTP', async () => {
    const { port, stop } = await serveOverHttp();
    await using servers = new Servers({ web: { url: `http://127.0.0.1:${port}/mcp`, headers: { 'x-key': 'k' } } });
    assert.equal(texts(await use(await servers.tool('web__echo'), { message: 'hello' })), 'Echo: hello');
    await servers.close();
    await stop();
    assert.deepEqual(await servers.toolsFor('agent', isNeverDenied), [], 'it is gone');
    assert.match(servers.problems.join(), /The MCP server web cannot be used/);
  });

  it('that exits is reported with its last error output', async () => {
    await using servers = new Servers({
      broken: { command: process.execPath, args: ['-e', 'console.error("no database"); process.exit(1)'] },
    });
    assert.deepEqual(await servers.toolsFor('agent', isNeverDenied), []);
    assert.match(servers.problems.join(), /broken cannot be used: .*Its error output: no database/);
  });

  it('whose tools change during a run is not called with the old descriptions', async () => {
    await using servers = new Servers({ fickle: changing() });
    const before = await servers.tool('fickle__change');
    assert.equal(texts(await use(before, {})), 'changed');
    await assert.rejects(use(before, {}), /tools of the MCP server fickle have changed/);
    const after = await servers.tool('fickle__change');
    assert.notEqual(after.fingerprint, before.fingerprint);
  });

  it('is started again after it has exited', async () => {
    await using servers = new Servers({ fickle: changing() });
    const tool = await servers.tool('fickle__end');
    await assert.rejects(use(tool, {}), /The MCP server fickle failed/);
    assert.equal(texts(await use(await servers.tool('fickle__steady'), {})), 'steady');
  });

  it('that hangs does not delay a stop', async () => {
    await using servers = new Servers({ fickle: changing() });
    const mcp = { toolsFor: (mode: Mode) => servers.toolsFor(mode, isNeverDenied), close: async () => undefined };
    await using kedge = await assistantOn({}, [turn(call('fickle__hang', {})), turn(say('Done.'))], { mcp });
    const { session } = kedge;
    const asked = nextEvent(session, 'approval_requested');
    const ended = session.prompt({ text: 'go', mode: 'agent' });
    const progressed = nextEvent(session, 'tool_progress');
    await session.answerApproval((await asked).approvalId, { approve: true });
    await progressed;
    await withoutLongTimers(async () => {
      await session.stop();
      await ended;
    });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
  });

  it('leaves no listener behind after a call', async () => {
    await using servers = new Servers({ fickle: changing() });
    const tool = await servers.tool('fickle__steady');
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    for (let count = 0; count < 30; count++) assert.equal(texts(await use(tool, {}, signal)), 'steady');
    // Node emits warnings in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    assert.deepEqual(warnings, []);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('can ask the user for input during a call', async () => {
    await using servers = new Servers({ everything: everything() });
    const tool = await servers.tool('everything__trigger-elicitation-request');
    const prepared = await tool.prepare({}, new AbortController().signal);
    const texts: string[] = [];
    const { content } = await prepared.execute({
      ...executeContext(),
      async ask({ text, options, freeText }) {
        texts.push(text);
        const option = options.find(({ label }) => label.startsWith('Use the default')) ?? options[0];
        return freeText && texts.length === 1 ? { words: 'Ada Lovelace' } : { option: option?.label ?? '' };
      },
    });
    assert.ok(texts.length > 1 && texts.every((text) => text.startsWith('The MCP server everything asks: ')), texts.join('\n'));
    assert.match(JSON.stringify(content), /Ada Lovelace/);
  });

  it('cannot imitate a tool of Kedge', async () => {
    await using servers = new Servers({ fickle: changing() });
    const mcp = { toolsFor: (mode: Mode) => servers.toolsFor(mode, isNeverDenied), close: async () => undefined };
    await using kedge = await assistantOn({ 'a.txt': 'secret' }, [turn(call('read_file', { path: 'a.txt' })), turn(say('Done.'))], { mcp });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(resultTexts(kedge.session)[0] ?? '', /secret/, 'the server has a read_file too, under another name');
    assert.equal(toolName('fickle', 'read_file'), 'fickle__read_file');
    assert.equal(toolName('a b', '../read__file'), 'a_b___read_file');
  });
});

describe('an MCP server that ignores the end of its input', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-mcp-'));
  });
  afterEach(async () => {
    for (const pid of pidsIn(join(folder, 'pids'))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const deaf = (...more: string[]) => ({
    command: process.execPath,
    args: [join(root, 'test/support/mcp-server.ts'), 'deaf', join(folder, 'pids'), ...more],
  });
  const begun = async () => {
    while (pidsIn(join(folder, 'pids')).length < 2) await delay(20);
    const pids = pidsIn(join(folder, 'pids'));
    assert.ok(pids.every(isAlive));
    return pids;
  };
  const ended = async (pids: number[]) => {
    for (const end = Date.now() + 10_000; pids.some(isAlive); await delay(20)) assert.ok(Date.now() < end, 'it still runs');
  };

  it('is ended with all of its child processes when Kedge ends', async function () {
    this.timeout(60_000);
    const servers = new Servers({ deaf: deaf() });
    await servers.tool('deaf__steady');
    const pids = await begun();
    await servers.close();
    await ended(pids);
  });

  it('is also ended while it is being connected', async function () {
    this.timeout(60_000);
    const servers = new Servers({ deaf: deaf('mute') });
    const tools = servers.toolsFor('agent', isNeverDenied);
    const pids = await begun();
    await servers.close();
    await ended(pids);
    assert.deepEqual(await tools, []);
  });

  for (const [how, signals] of [
    ['normally', []],
    ['after a SIGTERM', ['SIGTERM']],
    ['after a second Ctrl+C', ['SIGINT', 'SIGINT']],
    ['because it was killed', ['SIGKILL']],
  ] as [string, NodeJS.Signals[]][]) {
    it(`is also ended by a program that ends ${how}`, async function () {
      this.timeout(120_000);
      if (process.platform === 'win32') this.skip();
      const config = join(folder, 'mcp.json');
      await writeFile(config, JSON.stringify({ mcpServers: { deaf: deaf() } }));
      const asked = Promise.withResolvers<ReceivedRequest>();
      const turns = async (request: ReceivedRequest) => {
        asked.resolve(request);
        // A slow server does not delay the run, which could otherwise end before the server has started.
        await begun();
        return { text: 'Hello.' };
      };
      const server = await startResponsesServer({ turns, ...(signals.length > 0 && { hang: 'midway' }) });
      const args = [join(root, 'src/hosts/cli/main.ts'), 'agent', '--model', 'openai/test-model', '--mcp-config', config, 'Say hello'];
      const env = { ...process.env, KEDGE_HOME: join(folder, 'home'), OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url };
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      const request = await Promise.race([asked.promise, exited.then(([code]) => assert.fail(`it ended with ${code}`))]);
      const pids = await begun();
      for (const signal of signals) {
        child.kill(signal);
        if (signal === 'SIGINT') await request.closed;
      }
      await exited;
      await ended(pids);
      await server.close();
    });
  }
});

function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the fingerprint of a server’s tools', () => {
  const tool = { name: 'a', description: 'reads', inputSchema: { type: 'object' } };

  it('differs when any description, schema or name differs', async () => {
    const lists = [
      [tool],
      [{ ...tool, description: 'writes' }],
      [{ ...tool, inputSchema: {} }],
      [{ ...tool, name: 'b' }],
      [tool, { ...tool, name: 'b' }],
    ];
    assert.equal(new Set(await Promise.all(lists.map(fingerprintOf))).size, lists.length);
  });

  it('does not depend on their order', async () => {
    const other = { ...tool, name: 'b' };
    assert.equal(await fingerprintOf([tool, other]), await fingerprintOf([other, tool]));
  });
});

describe('the configuration of MCP servers', () => {
  it('is accepted as other programs write it, and errors are reported', () => {
    const { servers, problems } = readServers({
      files: { command: 'npx', args: ['-y', 'server'], env: { A: 'b' } },
      web: { url: 'https://example.com/mcp' },
      off: { command: 'x', disabled: true },
      evil: { url: 'file:///etc/passwd' },
      empty: {},
    });
    assert.deepEqual([...servers.keys()], ['files', 'web']);
    assert.deepEqual(problems, [
      'The MCP server evil cannot be used: its url is not an http or https address. Correct its settings.',
      'The MCP server empty cannot be used: it needs a command or a url. Correct its settings.',
    ]);
  });
});
