import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
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
});
