import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import { resultText } from '../../src/core/model/messages.ts';
import type { Mode } from '../../src/core/session/events.ts';
import { answer } from '../../src/hosts/vscode/chat/chat.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { withoutLongTimers } from '../support/clock.ts';
import { nextEvent } from '../support/harness.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../support/responses-server.ts';
import { until } from '../support/until.ts';

const MODEL = { provider: 'openai', model: 'test-model' };
const ASK: Turn = { calls: [{ name: 'ask_user', input: { question: 'Which harbour?', options: ['North', 'South'] } }] };

/** An MCP server that lists one tool and never answers a call of it. */
const DEAF = `let text = '';
process.stdin.on('data', (chunk) => {
  for (text += chunk; text.includes('\\n'); text = text.slice(text.indexOf('\\n') + 1)) {
    const { id, method, params } = JSON.parse(text.slice(0, text.indexOf('\\n')));
    const reply = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    if (method === 'initialize')
      reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'deaf', version: '1' } });
    if (method === 'tools/list') reply({ tools: [{ name: 'hang', inputSchema: { type: 'object' } }] });
  }
});`;

/** The model that is selected in VS Code. */
const OFFLINE = { vendor: 'kedge', id: 'offline/offline' };

describe('the user controls the run', () => {
  let kedge: Kedge;
  let server: ResponsesServer | undefined;
  const set = (key: string, value: unknown) =>
    vscode.workspace.getConfiguration('kedge').update(key, value, vscode.ConfigurationTarget.Global);

  const serve = async (options: Parameters<typeof startResponsesServer>[0]) => {
    server = await startResponsesServer(options);
    await set('baseUrls', { openai: server.url });
    await until('the address', async () => kedge.settings.server('openai').baseUrl === server?.url);
  };
  const say = (session: Session, mode: Mode) => session.prompt({ text: 'go', mode, model: MODEL });
  const results = ({ state }: Session) =>
    state.messages.flatMap((message) => (message.role === 'tool' ? message.content.map(resultText) : []));

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    await kedge.keys.set('openai', 'a-key');
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const key of ['baseUrls', 'mcpServers']) await set(key, undefined);
  });
  after(() => kedge.keys.set('openai', undefined));

  /** Asks a question in a window that closes before the user answers. */
  async function askedBefore(): Promise<{ id: string; questionId: string }> {
    await serve({ turns: [ASK, { text: 'North it is.' }] });
    const window = new Kedge(kedge.context);
    const session = await window.assistant.newSession();
    void say(session, 'agent');
    const { questionId } = await nextEvent(session, 'question_asked');
    window.dispose();
    return { id: session.id, questionId };
  }

  it('by answering a question after a reload, which continues the run', async () => {
    const { id, questionId } = await askedBefore();
    const session = (await kedge.assistant.session(id)) as Session;
    assert.equal(session.state.lastRun?.status, 'live');
    assert.equal(session.running, false);
    await vscode.commands.executeCommand('kedge.answerQuestion', id, questionId, { option: 'North' });
    assert.equal(session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(results(session), ['The user chose: North']);
    assert.equal(session.events.filter(({ type }) => type === 'question_asked').length, 1);
  });

  it('by answering with the next message in the native Chat, which shows the question again after an empty message', async () => {
    const { id } = await askedBefore();
    const lines: string[] = [];
    const stream = {
      markdown: (text: string | vscode.MarkdownString) => lines.push(typeof text === 'string' ? text : text.value),
      progress: (text: string) => lines.push(text),
      button: ({ title, command }: vscode.Command) => lines.push(`[${title}] ${command}`),
    } as unknown as vscode.ChatResponseStream;
    const result = { metadata: { sessionId: id, mode: 'agent' } };
    const before = Object.create(vscode.ChatResponseTurn.prototype, { result: { value: result }, participant: { value: 'kedge.agent' } });
    const send = (prompt: string, token: vscode.CancellationToken, command?: string) =>
      answer(
        kedge,
        { prompt, command, references: [], model: OFFLINE } as unknown as vscode.ChatRequest,
        { history: [before] },
        stream,
        token,
      );

    const first = new vscode.CancellationTokenSource();
    const shown = send('', first.token);
    await until('the question', async () => lines.includes('[South] kedge.answerQuestion'));
    assert.ok(lines.includes('[Other answer…] kedge.answerInWords'));
    const session = (await kedge.assistant.session(id)) as Session;
    await send('the one in the west', new vscode.CancellationTokenSource().token);
    await shown;
    assert.deepEqual(results(session), ['The user answered: the one in the west']);
    assert.ok(lines.includes('*You:* the one in the west\n\n'));
  });

  it('with the commands to pause, steer, step and resume', async () => {
    const look = { calls: [{ name: 'list_directory', input: {} }] };
    await serve({ turns: [look, look, { text: 'Done.' }] });
    const session = await kedge.assistant.newSession();
    await kedge.sessions.show(session);
    const first = nextEvent(session, 'turn_started').then(() => vscode.commands.executeCommand('kedge.pause'));
    await Promise.all([first, say(session, 'ask')]);
    assert.deepEqual([session.state.lastRun?.status, session.state.lastRun?.pause], ['paused', 'user']);
    await session.say({ text: 'In metres, please.', mode: 'ask' });
    await vscode.commands.executeCommand('kedge.step');
    assert.equal(session.state.lastRun?.status, 'paused');
    assert.equal(server?.requests.length, 1);
    await vscode.commands.executeCommand('kedge.resume');
    assert.equal(session.state.lastRun?.outcome, 'answered');
    assert.match(JSON.stringify(server?.requests[1]?.body.input.at(-1)), /In metres, please/);
  });

  describe('the user stops the run immediately', () => {
    async function stopped(session: Session): Promise<void> {
      await withoutLongTimers(() => vscode.commands.executeCommand('kedge.stop'));
      assert.equal(session.state.lastRun?.outcome, 'stopped');
      assert.equal(session.running, false);
    }

    const begin = async (mode: Mode) => {
      const session = await kedge.assistant.newSession();
      await kedge.sessions.show(session);
      session.subscribe((event) => {
        if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: true });
      });
      return { session, ended: say(session, mode) };
    };

    for (const hang of ['before', 'midway'] as const) {
      it(`during a request that hangs ${hang === 'before' ? 'before its answer' : 'in the middle of its answer'}`, async () => {
        await serve({ turns: [{ text: 'I was just about to say something' }], hang });
        const { session, ended } = await begin('ask');
        const delta = nextEvent(session, 'text_delta');
        await until('the request', async () => server?.requests.length);
        if (hang === 'midway') await delta;
        await stopped(session);
        await ended;
        assert.ok(await server?.requests[0]?.closed, 'the connection is closed');
      });
    }

    it('during a command that hangs', async () => {
      await serve({ turns: [{ calls: [{ name: 'run_command', input: { command: 'echo begun; trap "" TERM INT; sleep 1000' } }] }] });
      const { session, ended } = await begin('agent');
      await nextEvent(session, 'tool_progress');
      await stopped(session);
      await ended;
    });

    it('during a call of an MCP server that hangs', async () => {
      await serve({ turns: [{ calls: [{ name: 'deaf__hang', input: {} }] }] });
      await set('mcpServers', { deaf: { command: process.execPath, args: ['-e', DEAF], env: { ELECTRON_RUN_AS_NODE: '1' } } });
      const { session, ended } = await begin('agent');
      await until('the call', async () => session.events.some((event) => event.type === 'tool_started' && event.decision.kind === 'allow'));
      await stopped(session);
      await ended;
    });

    it('and earlier writes can be undone', async () => {
      const create = { calls: [{ name: 'create_file', input: { path: 'stop-test.txt', content: 'new' } }] };
      await serve({ turns: [create, ASK] });
      const { session, ended } = await begin('agent');
      await nextEvent(session, 'question_asked');
      await stopped(session);
      await ended;
      const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri as vscode.Uri, 'stop-test.txt');
      assert.equal((await vscode.workspace.fs.readFile(file)).length, 3);
      await session.changes.undo(session.state.lastRun?.runId ?? '');
      await assert.rejects(async () => vscode.workspace.fs.stat(file));
    });
  });
});
