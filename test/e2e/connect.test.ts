import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { sharedWorkbench, until, type Workbench } from './harness.ts';
import { newSession, send } from './panel.ts';
import { HARBOUR } from './workspace.ts';

type Answer = { status?: number; body: string };
const KEY = 'sk-right-0123456789';

/** Tests the guided flow against servers that use the wire formats of the services. */
describe('connecting a model', () => {
  let server: Server;
  let url: string;
  let workbench: Workbench;
  let asked: { path: string; key: string | undefined; body: string }[];
  /** The answers by path. All other paths get a 404 response. */
  let answers: Record<string, (body: string, key: string | undefined) => Answer>;

  const start = sharedWorkbench(() => ({ files: HARBOUR }));
  beforeEach(async () => {
    asked = [];
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const path = request.url ?? '';
      const key = request.headers.authorization?.replace('Bearer ', '');
      asked.push({ path, key, body });
      const { status = 200, body: answer } = answers[path]?.(body, key) ?? { status: 404, body: '{"error":"not found"}' };
      const isJson = answer.startsWith('{') && !answer.includes('\n');
      response.writeHead(status, { 'content-type': isJson ? 'application/json' : 'text/event-stream' }).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    ({ workbench } = await start());
    await newSession(await workbench.panelFrame());
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const title = (text: string) =>
    workbench.page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: text }).waitFor();
  const box = () => workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
  const choose = (label: string) => workbench.clickQuickItem(label);
  const enter = async (text: string) => {
    await box().fill(text);
    await box().press('Enter');
  };
  const dialog = (text: string | RegExp) => workbench.page.locator('.monaco-dialog-box').filter({ hasText: text }).waitFor();
  const shot = (name: string) => workbench.screenshot(`connect-${name}`);
  const begin = async () => {
    await workbench.command('Kedge: Connect a Model');
    await title('Connect a Model');
  };

  it('accepts an address, refuses a wrong key, tests a tool call, and uses the model', async () => {
    const refused: Answer = { status: 401, body: '{"error":{"message":"Incorrect API key provided."}}' };
    const call = [{ id: 'a', name: 'note_word', args: { word: 'harbour' } }];
    answers = {
      '/v1/models': (_, key) => (key === KEY ? { body: '{"data":[{"id":"tiny-chat"},{"id":"other-chat"}]}' } : refused),
      '/v1/chat/completions': (body) => ({
        body: (body.includes('note_word') ? CALL_BODIES['openai-chat']?.(call) : TEXT_BODIES['openai-chat']?.(['It ', 'ebbs.'])) ?? '',
      }),
    };
    await begin();
    await shot('1-service');
    await choose('OpenAI-compatible');
    await title('OpenAI-compatible: address');
    await enter('nonsense');
    await shot('2-address-refused');
    await enter(`${url}/v1`);
    await title('OpenAI-compatible: key');
    await shot('3-key');
    await box().fill('sk-wrong-0123456789');
    await shot('4-enter-key');
    await box().press('Enter');
    await dialog('refused the API key');
    await shot('5-bad-key');
    await workbench.clickNotification('Enter Another Key');
    await title('OpenAI-compatible: key');
    await enter(KEY);
    await title('OpenAI-compatible: model');
    await shot('6-models');
    await choose('tiny-chat');
    await title('tiny-chat: modes');
    await shot('7-modes');
    await choose('All modes');
    const panel = await workbench.panelFrame();
    await panel.getByText('tiny-chat').first().waitFor();
    await send(panel, 'How is the tide?');
    await panel.getByText('It ebbs.').first().waitFor();
    await shot('8-used');
    assert.equal(asked.at(-1)?.key, KEY);
  });

  it('tests how a local model calls tools, explains why a model is unsuitable, and can be left at every step', async () => {
    const line = (message: object, more: object) => `${JSON.stringify({ model: 'm', message, ...more })}\n`;
    const says = (content: string) =>
      line({ role: 'assistant', content }, { done: false }) + line({ content: '' }, { done: true, done_reason: 'stop' });
    const written = '<tool_call>\n{"name": "note_word", "arguments": {"word": "harbour"}}\n</tool_call>';
    let talks = (_body: string): Answer => ({ body: says('I am a poet.') });
    answers = {
      '/api/tags': () => ({ body: '{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"d1"}]}' }),
      '/api/show': () => ({ body: '{"capabilities":["completion"],"model_info":{"tiny.context_length":4096}}' }),
      '/api/chat': (body) =>
        JSON.parse(body).tools ? { status: 400, body: '{"error":"tiny:latest does not support tools"}' } : talks(body),
    };
    // The user leaves the flow at each step. The flow ends and stores nothing.
    await begin();
    await box().press('Escape');
    await begin();
    await choose('Ollama');
    await title('Ollama: address');
    await box().press('Escape');
    await begin();
    await choose('Ollama');
    await title('Ollama: address');
    await enter('http://127.0.0.1:9');
    await title('Ollama: key');
    await enter('');
    await dialog('could not be reached');
    await shot('ollama-1-dead');
    await workbench.clickNotification('Change Address');
    await title('Ollama: address');
    await enter(url);
    await title('Ollama: key');
    await enter('');
    await title('Ollama: model');
    await shot('ollama-2-models');
    await choose('tiny:latest');
    await dialog(/unsuitable for Agent mode/);
    await shot('ollama-3-unsuitable');
    await workbench.clickNotification('Choose Another Model');
    await title('Ollama: model');
    talks = () => ({ body: says(written) });
    answers['/api/show'] = () => ({ body: '{"capabilities":["completion"],"model_info":{"tiny.context_length":40960}}' });
    await choose('tiny:latest');
    await dialog(/4096/);
    await workbench.clickNotification('Use Anyway');
    await title('tiny:latest: modes');
    await workbench.page.getByPlaceholder('This model writes tool calls as text').waitFor();
    await shot('ollama-4-modes');
    await box().press('Escape');
    const panel = await workbench.panelFrame();
    await panel.getByText('Offline').first().waitFor();
    assert.ok(await until('no list that is empty', async () => asked.some(({ path }) => path === '/api/chat')));
    // The server lists no models, so the user can enter the name of a model.
    answers['/api/tags'] = () => ({ body: '{"models":[]}' });
    await begin();
    await choose('Ollama');
    await title('Ollama: address');
    await enter(url);
    await title('Ollama: key');
    await enter('');
    await title('Ollama: name of the model');
    await shot('ollama-5-no-models');
    await box().press('Escape');
  });
});
