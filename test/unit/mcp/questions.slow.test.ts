import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { Calls } from '../../../src/mcp/client/calls.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, resultTexts } from '../../support/harness.ts';

const PROGRAM = join(import.meta.dirname, '../../support/asking-server.ts');

describe('a question of an MCP server', function () {
  this.timeout(120_000);

  /** Starts a run that calls the tool. The server writes to a file in the folder. */
  async function calling(tool: string): Promise<Harness & { servers: McpServers }> {
    let file = '';
    const servers = new McpServers({
      configured: () => new Map([['asking', { command: process.execPath, args: [PROGRAM, file] }]]),
      load: () => import('../../../src/mcp/client/index.ts'),
      start: startServer,
      onProblem: (text) => assert.fail(text),
      startMs: 60_000,
    });
    const kedge = await assistantOn({}, [turn(call(`asking__${tool}`, {})), turn(say('Done.'))], { mcp: servers });
    file = join(kedge.root, 'acts');
    answerAll(kedge.session, { approve: true });
    return Object.assign(kedge, { servers });
  }

  function asked({ session }: Harness): Promise<string> {
    return new Promise((resolve) => {
      session.subscribe((event) => event.type === 'question_asked' && resolve(event.questionId));
    });
  }

  it('does not let a call run twice if Kedge ends before the answer', async () => {
    await using kedge = await calling('act');
    const question = asked(kedge);
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    await question;
    const again = await kedge.reload();
    const [questionId = ''] = again.session.state.pendingQuestions.keys();
    await again.session.answerQuestion(questionId, { option: 'Accept' });
    await kedge.servers.close();
    assert.equal(await readFile(join(kedge.root, 'acts'), 'utf8'), 'acted\n');
    assert.match(resultTexts(again.session)[0] ?? '', /interrupted/);
  });

  it('ends with its call, and has an id that no other question has', async () => {
    await using kedge = await calling('leave');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.servers.close();
    const [event] = eventsOf(kedge.events, 'question_asked');
    assert.match(event?.questionId ?? '', /:elicitation-[\da-f-]{36}$/);
    assert.equal(resultTexts(kedge.session)[0], 'left');
    const finished = kedge.events.findIndex(({ type }) => type === 'tool_finished');
    assert.ok(finished > 0);
    assert.equal(kedge.session.state.pendingQuestions.size, 0);
  });

  it('is withdrawn when the server no longer needs the answer, while its call goes on', async () => {
    await using kedge = await calling('withdraw');
    const answered = new Promise<unknown>((resolve) => {
      kedge.session.subscribe((event) => event.type === 'question_answered' && resolve(event.answer));
    });
    const question = asked(kedge);
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await question;
    await writeFile(join(kedge.root, 'acts.withdraw'), '');
    assert.deepEqual(await answered, { words: 'The question was withdrawn, because its answer is no longer needed.', by: 'nobody' });
    assert.equal(kedge.session.state.pendingQuestions.size, 0);
    assert.equal(kedge.session.running, true);
    await writeFile(join(kedge.root, 'acts.hold'), '');
    await ended;
    await kedge.servers.close();
    assert.equal(resultTexts(kedge.session)[0], 'withdrawn');
  });

  for (const transport of ['pipes', 'HTTP'])
    it(`belongs to the session whose call asks, not to the newest one, over ${transport}`, async () => {
      await using folder = await temporary();
      const file = join(folder.path, 'acts');
      const http = transport === 'HTTP' ? await serve(file) : undefined;
      const config = http ? { url: http.url } : { command: process.execPath, args: [PROGRAM, file] };
      const servers = new McpServers({
        configured: () => new Map([['asking', config]]),
        load: () => import('../../../src/mcp/client/index.ts'),
        start: startServer,
        scope: new AsyncLocalStorage<object>(),
        onProblem: (text) => assert.fail(text),
        startMs: 60_000,
      });
      const sessionOf = async (tool: string) => {
        const kedge = await assistantOn({}, [turn(call(`asking__${tool}`, {})), turn(say('Done.'))], { mcp: servers });
        answerAll(kedge.session, { approve: true });
        return kedge;
      };
      await using first = await sessionOf('later');
      await using second = await sessionOf('hold');
      const endOf = async ({ session }: Harness) => {
        const approved = new Promise<void>((resolve) => {
          session.subscribe((event) => {
            if (event.type === 'tool_started' && event.decision.rule === 'approved') resolve();
          });
        });
        const ended = session.prompt({ text: 'go', mode: 'agent' });
        await approved;
        return ended;
      };
      const question = asked(first);
      const firstEnd = endOf(first);
      const secondEnd = endOf(second);
      await Promise.race([firstEnd, secondEnd, writeFile(`${file}.later`, '')]);
      // A stream belongs to each call over HTTP, so the question is shown at once. Otherwise, it waits for the end of the other call.
      if (!http) await writeFile(`${file}.hold`, '');
      await first.session.answerQuestion(await question, { option: 'Accept' });
      if (http) await writeFile(`${file}.hold`, '');
      await Promise.all([firstEnd, secondEnd]);
      await servers.close();
      http?.stop();
      assert.deepEqual([resultTexts(first.session)[0], resultTexts(second.session)[0]], ['{"action":"accept","content":{}}', 'held']);
      assert.deepEqual(
        [first, second].map(({ events }) => eventsOf(events, 'question_asked').length),
        [1, 0],
      );
    });

  it('is refused if it remains unknown which of several runs it belongs to', async () => {
    const calls = new Calls(undefined);
    const callOf = () => ({ signal: new AbortController().signal, model: undefined });
    await calls.during(callOf(), () =>
      calls.during(callOf(), async () => {
        await assert.rejects(calls.ofRequest(new AbortController().signal, AbortSignal.abort()), /Several sessions use this server/);
      }),
    );
    const one = callOf();
    const newest = { ...one };
    const found = await calls.during(one, () => calls.during(newest, () => calls.ofRequest(one.signal)));
    assert.equal(found, newest, 'calls of one run have the same user');
    assert.equal(await calls.ofRequest(one.signal), undefined);
  });
});

async function serve(file: string): Promise<{ url: string; stop(): void }> {
  const server = spawn(process.execPath, [PROGRAM, file, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}/mcp`, stop: () => void server.kill('SIGKILL') };
}

async function temporary(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'kedge-asking-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
