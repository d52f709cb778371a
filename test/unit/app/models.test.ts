import assert from 'node:assert/strict';
import { knownModels, loadAdapter, tryModel } from '../../../src/app/models/models.ts';
import { type Message, user } from '../../../src/core/model/messages.ts';
import { ModelError } from '../../../src/core/model/model.ts';
import { listen } from '../../support/listen.ts';
import { startResponsesServer } from '../../support/responses-server.ts';
import { startWireServer } from '../../support/wire-server.ts';

const never = new AbortController().signal;
const ref = { provider: 'openai', model: 'test-model' };

describe('testing a model', () => {
  it('requests one tool call, and reports how it was made', async () => {
    const server = await startResponsesServer({
      apiKey: 'key',
      turns: [
        { calls: [{ name: 'note_word', input: { word: 'harbour' } }] },
        ...[{ text: 'No.' }, { text: '{"name": "note_word", "arguments": {"word": "harbour"}}' }],
        ...[{ text: 'No.' }, { text: 'No.' }],
      ],
    });
    const config = { apiKey: 'key', baseUrl: server.url };
    const tried = async () => (await tryModel(ref, config, never, 10_000))?.calls;
    assert.deepEqual([await tried(), await tried(), await tried()], ['native', 'text', 'none']);
    assert.equal(server.requests.length, 5);
    await server.close();
  });

  it('does not repeat a failed request', async () => {
    const server = await startResponsesServer({ turns: [{ fail: { status: 503, message: 'Overloaded' } }] });
    await assert.rejects(tryModel(ref, { apiKey: 'key', baseUrl: server.url }, never, 10_000), { kind: 'overloaded' });
    assert.equal(server.requests.length, 1);
    await server.close();
  });
});

describe('a preset', () => {
  const answer = [
    { choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: 'Hm.' } }] },
    {
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }] } },
      ],
    },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  const body = `${answer.map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`).join('')}data: [DONE]\n\n`;

  it('receives its own reasoning back, and no reasoning of another provider', async () => {
    const server = await startWireServer([{ body }], 'text/event-stream');
    const adapterOf = (provider: string) =>
      loadAdapter({ provider, model: 'm' }, async () => ({ apiKey: 'key', baseUrl: `${server.url}/v1` }));
    const request = (messages: Message[]) => ({ model: 'm', system: '', messages, tools: [] });
    const parts = (await listen((await adapterOf('deepseek')).stream(request([user('Go.')]), never))).flatMap((event) =>
      event.type === 'part' ? [event.part] : [],
    );
    const history = (provider: string, model = 'm'): Message[] => [
      user('Go.'),
      { role: 'assistant', content: parts, from: { provider, model }, stop: 'tool_use' },
      { role: 'tool', content: [{ type: 'tool_result', callId: 'call_1', name: 'look', content: [{ type: 'text', text: 'a tree' }] }] },
    ];
    const sentBack = async (to: string, from: string, model = 'm') => {
      await listen((await adapterOf(to)).stream(request(history(from, model)), never));
      return server.requests.at(-1)?.raw.includes('reasoning_content') ?? false;
    };
    assert.equal(await sentBack('deepseek', 'deepseek'), true);
    assert.equal(await sentBack('openai-chat', 'openai-chat'), true);
    assert.equal(await sentBack('groq', 'deepseek'), false);
    assert.equal(await sentBack('openai-chat', 'deepseek'), false);
    assert.equal(await sentBack('deepseek', 'openai-chat'), false);
    assert.equal(await sentBack('deepseek', 'deepseek', 'another'), false);
    await server.close();
  });

  it('is named in its errors', async () => {
    const server = await startWireServer([{ status: 401, body: '{"error":{"message":"no"}}' }], 'text/event-stream');
    const adapter = await loadAdapter({ provider: 'groq', model: 'm' }, async () => ({ apiKey: 'key-1', baseUrl: server.url }));
    await assert.rejects(
      listen(adapter.stream({ model: 'm', system: '', messages: [user('Go.')], tools: [] }, never)),
      /^ModelError: Groq \(127/,
    );
    await server.close();
  });

  it('sends its own headers, and a temperature unless the server refuses it', async () => {
    const refusal = { status: 400, body: '{"error":{"message":"Unsupported parameter: temperature"}}' };
    const server = await startWireServer([refusal, { body }], 'text/event-stream');
    const config = { baseUrl: server.url, headers: { 'x-team': 'red' } };
    const adapter = await loadAdapter({ provider: 'vllm', model: 'm' }, async () => config);
    await listen(adapter.stream({ model: 'm', system: '', messages: [user('Go.')], tools: [], temperature: 0.2 }, never));
    assert.deepEqual(
      server.requests.map(({ raw, headers }) => [JSON.parse(raw.toString()).temperature, headers['x-team']]),
      [
        [0.2, 'red'],
        [undefined, 'red'],
      ],
    );
    await server.close();
  });
});

describe('loading a model', () => {
  const load = (provider: string, config = {}) => loadAdapter({ provider, model: 'm' }, async () => config);

  it('reports what is missing and what to do', async () => {
    await assert.rejects(load('openai'), new ModelError('auth', 'There is no key for OpenAI. To add it, run "Kedge: Connect a Model".'));
    await assert.rejects(load('azure', { apiKey: 'key' }), /There is no address for Azure OpenAI/);
    await assert.rejects(load('nobody'), { kind: 'unknown_model' });
    await load('lmstudio');
  });

  it('uses the facts of the catalogue and the user without a request', () => {
    const ids = knownModels('openai', { 'openai/mine': {}, 'groq/other': {} }).map(({ id }) => id);
    assert.ok(ids.includes('gpt-6.1-sol') && ids.includes('mine') && !ids.includes('other'));
  });
});
