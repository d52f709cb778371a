import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { QuestionAnswer } from '../../../src/core/session/events.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { type McpServerConfig, readServers } from '../../../src/mcp/config.ts';
import type { McpPorts } from '../../../src/mcp/ports.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { executeContext } from '../../support/context.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';
import { isNeverDenied } from '../../support/mcp-rules.ts';
import { official } from '../../support/official-servers.ts';

const FICKLE = { command: process.execPath, args: [join(import.meta.dirname, '../../support/mcp-server.ts')] };

function serversOn(settings: Record<string, McpServerConfig>, more: Partial<McpPorts> = {}): McpServers & AsyncDisposable {
  const servers = new McpServers({
    configured: () => readServers(settings).servers,
    load: () => import('../../../src/mcp/client/index.ts'),
    start: startServer,
    onProblem: (text) => assert.fail(text),
    startMs: 60_000,
    ...more,
  });
  return Object.assign(servers, { [Symbol.asyncDispose]: () => servers.close() });
}

async function use(servers: McpServers, name: string, input: object = {}): Promise<string> {
  const tool = (await servers.toolsFor('agent', isNeverDenied)).find((each) => each.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  const { signal } = new AbortController();
  const { content } = await (await tool.prepare(input, signal)).execute(executeContext(signal));
  return JSON.stringify(content);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe('an MCP server', function () {
  this.timeout(120_000);

  for (const [how, config] of [
    ['is found out', {}],
    ['is configured', { type: 'sse' }],
  ] as const)
    it(`can be used over the older HTTP with server-sent events, if that ${how}`, async () => {
      const port = await freePort();
      const { command, args } = official('everything', ['sse']);
      const server = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
      const exited = once(server, 'exit');
      try {
        // The server would end if its log could not be written any more.
        for await (const line of server.stderr.iterator({ destroyOnReturn: false })) if (String(line).includes('running')) break;
        server.stderr.resume();
        await using servers = serversOn({ old: { url: `http://127.0.0.1:${port}/sse`, ...config } });
        assert.match(await use(servers, 'old__echo', { message: 'hello' }), /Echo: hello/);
      } finally {
        server.kill('SIGKILL');
        await exited;
      }
    });

  it('can ask for the open folders, and is told when they change', async () => {
    let name = 'first';
    await using servers = serversOn({ fickle: FICKLE }, { roots: () => [{ uri: 'file:///home/anna/first', name }] });
    const roots = () => use(servers, 'fickle__roots');
    assert.match(await roots(), /changed 0 times: first at file:\/\/\/home\/anna\/first/);
    name = 'second';
    servers.rootsChanged();
    assert.match(await roots(), /changed 1 times: second/);
  });

  it('can write to its log', async () => {
    await using servers = serversOn({ fickle: FICKLE });
    await use(servers, 'fickle__log');
    assert.equal(servers.status()[0]?.log, '[warning] disk: {"free":0}\n');
  });
});

describe('a request of an MCP server to the model', function () {
  this.timeout(120_000);
  const SAMPLING = 'everything__trigger-sampling-request';

  /** Runs a script whose first turns call the tool, and answers the questions. */
  async function run(answers: QuestionAnswer[], calls: number) {
    const decisions = new Set<string>();
    await using servers = serversOn({ everything: official('everything') }, { approved: decisions });
    const steps = Array.from({ length: calls }, (_, index) => [
      turn(call(SAMPLING, { prompt: `Question ${index}`, maxTokens: 50 })),
      ...(answers[index] && 'option' in answers[index] && answers[index].option === 'Send it once'
        ? [turn(say('The model answers.'))]
        : []),
    ]).flat();
    await using kedge = await assistantOn({}, [...steps, turn(say('Done.'))], { mcp: servers });
    answerAll(kedge.session, { approve: true });
    let next = 0;
    kedge.session.subscribe((event) => {
      const answer = answers[next];
      if (event.type !== 'question_asked' || !answer) return;
      next++;
      queueMicrotask(() => void kedge.session.answerQuestion(event.questionId, answer));
    });
    await kedge.session.prompt({ text: 'a private matter', mode: 'agent' });
    const questions = eventsOf(kedge.events, 'question_asked').map(({ question }) => question.text);
    return { questions, results: resultTexts(kedge.session), requests: kedge.adapter.requests, decisions };
  }

  it('is answered if the user agrees, with nothing of the conversation and no tools', async () => {
    const { questions, results, requests } = await run([{ option: 'Send it once' }], 1);
    assert.match(questions[0] ?? '', /^The MCP server everything wants to send this to .*at most 50 tokens, and the server gets it/);
    assert.match(questions[0] ?? '', /system: You are a helpful test server\.\n\nuser: .*Question 0/);
    assert.match(results[0] ?? '', /The model answers\./);
    const [, request] = requests;
    assert.deepEqual([request?.tools, request?.maxOutputTokens, request?.system], [[], 50, 'You are a helpful test server.']);
    assert.doesNotMatch(JSON.stringify(request), /a private matter/);
  });

  it('is not sent if the user refuses or nobody can be asked, and never again if they say so', async () => {
    const { questions, results, requests } = await run(
      [{ option: 'Do not send it' }, { words: 'Nobody is here.', by: 'nobody' }, { option: 'Never for this server' }],
      4,
    );
    assert.equal(questions.length, 3);
    assert.equal(requests.length, 5, 'the requests of the run only');
    assert.match(results[0] ?? '', /has refused this request/);
    assert.match(results[3] ?? '', /has refused all requests of this server/);
  });
});
