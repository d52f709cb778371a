import assert from 'node:assert/strict';
import { type Message, user } from '../../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { type Dialect, dialectOf, toBody, toMessages } from '../../../../src/providers/openai-chat/convert.ts';
import { createAdapter } from '../../../../src/providers/openai-chat/index.ts';
import { answersOf } from '../../../support/answers.ts';
import { listen } from '../../../support/listen.ts';
import { startWireServer } from '../../../support/wire-server.ts';

const MODEL = 'chat-test';
const own = { provider: 'openai-chat', model: MODEL };
const assistant = answersOf(own);
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
const wireImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const call = { type: 'tool_call' as const, id: 'call_1', name: 'read_file', input: { path: 'a' } };
const wireCall = { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } };
const thought = { type: 'reasoning' as const, text: 'Hm.', replay: { content: 'Hm.' } };
const details = { type: 'reasoning' as const, text: '', replay: { details: [{ type: 'reasoning.text', text: 'Hm.', index: 0 }] } };

describe('openai-chat: messages', () => {
  const cases: [title: string, message: Message, wire: unknown[], dialect?: Dialect][] = [
    ['text of the user', user('Hi'), [{ role: 'user', content: 'Hi' }]],
    [
      'an image of the user',
      { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
      [{ role: 'user', content: [{ type: 'text', text: 'See' }, wireImage] }],
    ],
    ['an answer', assistant([{ type: 'text', text: 'Yes' }]), [{ role: 'assistant', content: 'Yes' }]],
    ['an empty answer', assistant([{ type: 'reasoning', text: 'Hm.' }]), []],
    ['a call', assistant([call]), [{ role: 'assistant', content: null, tool_calls: [wireCall] }]],
    [
      'a call with the reasoning that led to it',
      assistant([thought, details, call]),
      [
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm.',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', index: 0 }],
          tool_calls: [wireCall],
        },
      ],
    ],
    ['reasoning that led to no call', assistant([thought, { type: 'text', text: 'Yes' }]), [{ role: 'assistant', content: 'Yes' }]],
    [
      'a call of another model',
      assistant([thought, details, call], { provider: 'openai-chat', model: 'other' }),
      [{ role: 'assistant', content: null, tool_calls: [wireCall] }],
    ],
    [
      'results, and an image among them',
      {
        role: 'tool',
        content: [
          { type: 'tool_result', callId: 'call_1', name: 'look', content: [{ type: 'text', text: 'shot' }, image] },
          { type: 'tool_result', callId: 'call_2', name: 'look', content: [{ type: 'text', text: 'no' }], isError: true },
        ],
      },
      [
        { role: 'tool', tool_call_id: 'call_1', content: 'shot\n[image image/png]' },
        { role: 'tool', tool_call_id: 'call_2', content: 'Error: no' },
        { role: 'user', content: [{ type: 'text', text: '<kedge_note>\nThe images of these tool results:\n</kedge_note>' }, wireImage] },
      ],
    ],
    [
      'a foreign call id for Mistral',
      assistant([call, { ...call, id: 'a1B2c3D4e' }]),
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { ...wireCall, id: 'c000a8718' },
            { ...wireCall, id: 'a1B2c3D4e' },
          ],
        },
      ],
      { mistral: true },
    ],
  ];
  for (const [title, message, wire, dialect] of cases) it(title, () => assert.deepEqual(toMessages(message, MODEL, dialect), wire));
});

const HELLO = { body: 'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\n' };

describe('openai-chat: a request', () => {
  const request: ModelRequest = { model: MODEL, system: 'Be brief.', messages: [user('Hi')], tools: [], cacheKey: 's', maxOutputTokens: 9 };

  it('has fields that every server accepts, and the messages last', () => {
    const body = toBody(request, dialectOf('http://localhost:8080/v1'));
    assert.deepEqual(Object.keys(body), ['model', 'stream', 'stream_options', 'max_tokens', 'messages']);
    assert.deepEqual(body.messages[0], { role: 'system', content: 'Be brief.' });
  });

  it('has fields that OpenAI itself accepts', () => {
    const body = toBody({ ...request, reasoningEffort: 'low' }, dialectOf(undefined));
    assert.deepEqual(
      [body.prompt_cache_key, body.max_completion_tokens, body.max_tokens, body.reasoning_effort],
      ['s', 9, undefined, 'low'],
    );
  });

  it('is repeated without a field that the server rejects', async () => {
    const refusal = { status: 422, body: JSON.stringify({ error: { message: 'stream_options: Extra inputs are not permitted' } }) };
    const server = await startWireServer([refusal, HELLO], 'text/event-stream');
    try {
      const adapter = createAdapter({ baseUrl: `${server.url}/v1` });
      for (let turn = 0; turn < 2; turn++) await listen(adapter.stream(request, new AbortController().signal));
      assert.deepEqual(
        server.requests.map(({ raw }) => raw.includes('stream_options')),
        [true, false, false],
      );
    } finally {
      await server.close();
    }
  });

  it('names the output limit as the server expects', async () => {
    const message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const server = await startWireServer([{ status: 400, body: JSON.stringify({ error: { message } }) }, HELLO], 'text/event-stream');
    try {
      const adapter = createAdapter({ baseUrl: `${server.url}/v1` });
      for (let turn = 0; turn < 2; turn++) await listen(adapter.stream(request, new AbortController().signal));
      const bodies = server.requests.map(({ raw }) => JSON.parse(raw.toString()));
      assert.deepEqual(
        bodies.map(({ max_tokens, max_completion_tokens }) => [max_tokens, max_completion_tokens]),
        [
          [9, undefined],
          [undefined, 9],
          [undefined, 9],
        ],
      );
    } finally {
      await server.close();
    }
  });

  it('supports an address with a query, as in Azure deployments', async () => {
    const server = await startWireServer([HELLO], 'text/event-stream');
    try {
      const adapter = createAdapter({ apiKey: 'k-0123456789', baseUrl: `${server.url}/openai/deployments/d?api-version=2024-10-21` });
      await listen(adapter.stream(request, new AbortController().signal));
      assert.equal(server.requests[0]?.path, '/openai/deployments/d/chat/completions?api-version=2024-10-21');
    } finally {
      await server.close();
    }
  });
});
