import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type Message, user } from '../../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { contextSize, toMessages, toRequest } from '../../../../src/providers/ollama/convert.ts';
import { createAdapter } from '../../../../src/providers/ollama/index.ts';
import { answersOf } from '../../../support/answers.ts';
import { listen } from '../../../support/listen.ts';
import { served } from '../../../support/served.ts';

const MODEL = 'qwen-test';
const own = { provider: 'ollama', model: MODEL };
const assistant = answersOf(own);
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
const call = { type: 'tool_call' as const, id: 'call_1', name: 'read_file', input: { path: 'a' } };
const wireCall = { id: 'call_1', function: { name: 'read_file', arguments: { path: 'a' } } };
const thought = { type: 'reasoning' as const, text: 'Hm.' };

describe('ollama: messages', () => {
  const cases: [title: string, message: Message, wire: unknown[]][] = [
    [
      'text and image of the user',
      { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
      [{ role: 'user', content: 'See', images: ['AAAA'] }],
    ],
    ['an answer', assistant([thought, { type: 'text', text: 'Yes' }]), [{ role: 'assistant', content: 'Yes' }]],
    ['an empty answer', assistant([thought]), []],
    ['a call with its thoughts', assistant([thought, call]), [{ role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [wireCall] }]],
    [
      'a call of another model',
      assistant([thought, call], { provider: 'ollama', model: 'other' }),
      [{ role: 'assistant', content: '', tool_calls: [wireCall] }],
    ],
    [
      'a result with an image',
      { role: 'tool', content: [{ type: 'tool_result', callId: 'call_1', name: 'look', content: [image], isError: true }] },
      [
        { role: 'tool', content: 'Error: [image image/png]', tool_name: 'look', tool_call_id: 'call_1' },
        { role: 'user', content: '<kedge_note>\nThe images of these tool results:\n</kedge_note>', images: ['AAAA'] },
      ],
    ],
  ];
  for (const [title, message, wire] of cases) it(title, () => assert.deepEqual(toMessages(message, MODEL), wire));
});

describe('ollama: a request', () => {
  const request: ModelRequest = { model: MODEL, system: 'Be brief.', messages: [user('Hi')], tools: [] };

  it('always sets the context size', () => {
    const sizes = [undefined, 8192, 1_000_000].map(
      (contextLength) => toRequest(request, { ...(contextLength && { contextLength }) }).options?.num_ctx,
    );
    assert.deepEqual(sizes, [16_384, 8192, 32_768]);
  });

  it('requests reasoning in the form the model supports', () => {
    const think = (model: string, effort: ModelRequest['reasoningEffort'], thinks = true) =>
      toRequest({ ...request, model, ...(effort && { reasoningEffort: effort }) }, { thinks }).think;
    assert.deepEqual(
      [think('gpt-oss:20b', 'high'), think('gpt-oss:20b', 'minimal'), think('qwen3', 'high'), think('qwen3', 'minimal')],
      ['high', 'low', true, false],
    );
    assert.deepEqual([think('qwen3', undefined), think('llama3', 'high', false)], [undefined, undefined]);
  });

  it('requests the context length of a model once', async () => {
    const paths: string[] = [];
    const contexts: unknown[] = [];
    const server = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      paths.push(incoming.url ?? '');
      if (incoming.url === '/api/show') {
        response.setHeader('content-type', 'application/json');
        return response.end(
          '{"model_info":{"general.architecture":"qwen3","qwen3.context_length":20480},"capabilities":["tools","thinking"]}',
        );
      }
      contexts.push(JSON.parse(Buffer.concat(chunks).toString()).options.num_ctx);
      return response.end('{"message":{"content":"Hi."},"done":true}\n');
    });
    const { url, close } = await served(server);
    try {
      const adapter = createAdapter({ baseUrl: `${url}/v1` });
      for (let turn = 0; turn < 2; turn++) await listen(adapter.stream(request, new AbortController().signal));
      assert.deepEqual(paths, ['/api/show', '/api/chat', '/api/chat']);
      assert.deepEqual(contexts, [20_480, 20_480]);
    } finally {
      await close();
    }
  });
});

describe('the context size requested from Ollama', () => {
  const gb = 2 ** 30;
  for (const [contextLength, memoryBytes, expected] of [
    [131_072, 4 * gb, 8_192],
    [131_072, 12 * gb, 16_384],
    [131_072, 24 * gb, 32_768],
    [131_072, 64 * gb, 65_536],
    [4_096, 64 * gb, 4_096],
  ] as const) {
    it(`is ${expected} for a model with ${contextLength} and ${memoryBytes / gb} GB`, () => {
      assert.equal(contextSize({ contextLength, memoryBytes }), expected);
    });
  }
});
