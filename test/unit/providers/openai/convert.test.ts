import assert from 'node:assert/strict';
import type { Message, ToolCall, ToolResult } from '../../../../src/core/model/messages.ts';
import { user } from '../../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { toBody, toItems } from '../../../../src/providers/openai/convert.ts';
import { answersOf } from '../../../support/answers.ts';

const MODEL = 'gpt-test';
const reasoningItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };

const assistant = answersOf({ provider: 'openai', model: MODEL });
const call = (more: Partial<ToolCall>): ToolCall => ({ type: 'tool_call', id: 'call_1', name: 'read_file', ...more });
const result = (more: Partial<ToolResult>): Message => ({
  role: 'tool',
  content: [{ type: 'tool_result', callId: 'call_1', name: 'read_file', content: [], ...more }],
});
const thinking = { type: 'reasoning' as const, text: 'Hm.', replay: { item: reasoningItem } };
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
const wireImage = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' };

describe('openai: messages become items', () => {
  const cases: [title: string, message: Message, items: unknown[]][] = [
    ['text of the user', user('Hi'), [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }]],
    [
      'an image of the user',
      { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
      [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'See' }, wireImage] }],
    ],
    ['an answer', assistant([{ type: 'text', text: 'Yes' }]), [{ type: 'message', role: 'assistant', content: 'Yes' }]],
    ['an empty answer', assistant([{ type: 'text', text: '' }]), []],
    [
      'an answer with its phase',
      assistant([{ type: 'text', text: 'Yes', replay: { phase: 'final_answer' } }]),
      [{ type: 'message', role: 'assistant', content: 'Yes', phase: 'final_answer' }],
    ],
    [
      'reasoning before a call',
      assistant([thinking, call({ input: { path: 'a' } })]),
      [reasoningItem, { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a"}' }],
    ],
    [
      'reasoning of another model',
      assistant([thinking, { type: 'text', text: 'Yes', replay: { phase: 'final_answer' } }], { provider: 'openai', model: 'gpt-other' }),
      [{ type: 'message', role: 'assistant', content: 'Yes' }],
    ],
    [
      'reasoning of another provider',
      assistant([thinking, { type: 'text', text: 'Yes' }], { provider: 'anthropic', model: MODEL }),
      [{ type: 'message', role: 'assistant', content: 'Yes' }],
    ],
    [
      'reasoning without a token',
      assistant([
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Yes' },
      ]),
      [{ type: 'message', role: 'assistant', content: 'Yes' }],
    ],
    ['reasoning that led to nothing', assistant([thinking]), []],
    [
      'an item that Kedge does not know',
      assistant([{ type: 'reasoning', text: '', replay: { item: { type: 'moon_phase_call', id: 'x', phase: 3 } } }]),
      [{ type: 'moon_phase_call', id: 'x', phase: 3 }],
    ],
    [
      'a call without arguments',
      assistant([call({ input: {} })]),
      [{ type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}' }],
    ],
    [
      'a malformed call',
      assistant([call({ malformed: '{"path": ' })]),
      [{ type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"malformed_arguments":"{\\"path\\": "}' }],
    ],
    [
      'a call whose arguments are no object',
      assistant([call({ input: [1] })]),
      [{ type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"malformed_arguments":"[1]"}' }],
    ],
    [
      'a call with an id that the wire refuses',
      assistant([call({ id: 'a b', input: {} })]),
      [{ type: 'function_call', call_id: 'a_b_e63f991904833892', name: 'read_file', arguments: '{}' }],
    ],
    [
      'a result',
      result({ content: [{ type: 'text', text: 'file' }] }),
      [{ type: 'function_call_output', call_id: 'call_1', output: 'file' }],
    ],
    ['an empty result', result({}), [{ type: 'function_call_output', call_id: 'call_1', output: '' }]],
    [
      'a failed result',
      result({ content: [{ type: 'text', text: 'no such file' }], isError: true }),
      [{ type: 'function_call_output', call_id: 'call_1', output: 'Error: no such file' }],
    ],
    [
      'a result with an image',
      result({ content: [{ type: 'text', text: 'shot' }, image] }),
      [{ type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'shot' }, wireImage] }],
    ],
  ];
  for (const [title, message, items] of cases) it(title, () => assert.deepEqual(toItems(message, MODEL), items));

  it('gives a call and its result the same id, of any length', () => {
    const id = 'x'.repeat(200);
    const [sent] = toItems(assistant([call({ id, input: {} })]), MODEL);
    const [answer] = toItems(result({ callId: id }), MODEL);
    assert.ok(sent?.type === 'function_call' && answer?.type === 'function_call_output');
    assert.equal(sent.call_id, answer.call_id);
    assert.ok(sent.call_id.length <= 64);
  });
});

describe('openai: a request becomes a body', () => {
  const request: ModelRequest = { model: MODEL, system: 'Be brief.', messages: [user('Hi')], tools: [] };
  const tool = { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: {} } };

  it('is stateless, streams, and requests encrypted reasoning', () => {
    const { input, ...head } = toBody(request);
    assert.deepEqual(head, {
      model: MODEL,
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
    });
    assert.equal(input?.length, 1);
  });

  it('contains tools, cache key, limit and effort only if they are set', () => {
    const body = toBody({ ...request, tools: [tool], cacheKey: 's1', maxOutputTokens: 100, reasoningEffort: 'low' });
    assert.deepEqual(body.tools, [
      { type: 'function', name: 'read_file', description: 'Reads.', parameters: tool.inputSchema, strict: false },
    ]);
    assert.equal(body.prompt_cache_key, 's1');
    assert.equal(body.max_output_tokens, 100);
    assert.deepEqual(body.reasoning, { effort: 'low', summary: 'auto' });
  });

  it('omits what a model does not support', () => {
    const body = toBody({ ...request, reasoningEffort: 'low' }, { encrypted: true, summary: true });
    assert.equal('include' in body, false);
    assert.deepEqual(body.reasoning, { effort: 'low' });
  });

  it('has its input last, so that each request extends the previous one', () => {
    const messages: Message[] = [user('Hi')];
    const write = () => JSON.stringify(toBody({ ...request, tools: [tool], cacheKey: 's1', messages }));
    let before = write();
    const later: Message[] = [
      assistant([thinking, call({ malformed: '{' })]),
      result({ content: [image] }),
      assistant([thinking]),
      user('Go on'),
      assistant([{ type: 'text', text: 'Yes' }]),
    ];
    for (const message of later) {
      messages.push(message);
      const after = write();
      assert.ok(after.startsWith(before.slice(0, -2)));
      before = after;
    }
  });
});
