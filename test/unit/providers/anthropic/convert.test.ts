import assert from 'node:assert/strict';
import { type Message, type ToolResult, user } from '../../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { toBody, toMessage } from '../../../../src/providers/anthropic/convert.ts';
import { answersOf } from '../../../support/answers.ts';

const MODEL = 'claude-test';
const own = { provider: 'anthropic', model: MODEL };
const assistant = answersOf(own);
const result = (more: Partial<ToolResult>): Message => ({
  role: 'tool',
  content: [{ type: 'tool_result', callId: 'toolu_1', name: 'read_file', content: [], ...more }],
});
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
const wireImage = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const thinking = { type: 'reasoning' as const, text: 'Hm.', replay: { signature: 'sig' } };

describe('anthropic: messages become content blocks', () => {
  const cases: [title: string, message: Message, content: unknown[] | undefined][] = [
    ['text of the user', user('Hi'), [{ type: 'text', text: 'Hi' }]],
    ['an image of the user', { role: 'user', content: [{ type: 'text', text: 'See' }, image] }, [{ type: 'text', text: 'See' }, wireImage]],
    ['text without a visible character', user(' \n'), undefined],
    ['an empty answer', assistant([{ type: 'text', text: '' }]), undefined],
    [
      'thinking and a call',
      assistant([thinking, { type: 'tool_call', id: 'toolu_1', name: 'read_file', input: { path: 'a' } }]),
      [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
      ],
    ],
    [
      'thinking of which only the signature came',
      assistant([{ type: 'reasoning', text: '', replay: { signature: 'sig' } }]),
      [{ type: 'thinking', thinking: '', signature: 'sig' }],
    ],
    [
      'a redacted block',
      assistant([{ type: 'reasoning', text: '', replay: { block: { type: 'redacted_thinking', data: 'x' } } }]),
      [{ type: 'redacted_thinking', data: 'x' }],
    ],
    ['thinking without a signature', assistant([{ type: 'reasoning', text: 'Hm.' }]), undefined],
    [
      'thinking of another model',
      assistant([thinking, { type: 'text', text: 'Yes' }], { provider: 'anthropic', model: 'claude-other' }),
      [{ type: 'text', text: 'Yes' }],
    ],
    [
      'a call with an id that the wire refuses',
      assistant([{ type: 'tool_call', id: 'a b', name: 'f', malformed: '{' }]),
      [{ type: 'tool_use', id: 'a_b_e63f991904833892', name: 'f', input: { malformed_arguments: '{' } }],
    ],
    [
      'a result',
      result({ content: [{ type: 'text', text: 'file' }, image] }),
      [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'file' }, wireImage] }],
    ],
    ['an empty result', result({}), [{ type: 'tool_result', tool_use_id: 'toolu_1' }]],
    [
      'a failure, which may have text only',
      result({ content: [{ type: 'text', text: 'no' }, image], isError: true }),
      [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'no\n[image image/png]' }], is_error: true }],
    ],
  ];
  for (const [title, message, content] of cases) {
    it(title, () => assert.deepEqual(toMessage(message, MODEL)[0]?.content, content));
  }
});

describe('anthropic: a request becomes a body', () => {
  const request: ModelRequest = { model: MODEL, system: 'Be brief.', messages: [user('Hi')], tools: [] };

  it('has the cache marker at the top level, and the messages last', () => {
    const body = toBody(request);
    assert.deepEqual(Object.keys(body), ['model', 'stream', 'max_tokens', 'cache_control', 'system', 'messages']);
    assert.deepEqual(body.cache_control, { type: 'ephemeral' });
  });

  it('requests thinking only if an effort is set', () => {
    assert.equal(toBody(request).thinking, undefined);
    const body = toBody({ ...request, reasoningEffort: 'minimal', maxOutputTokens: 500 });
    assert.deepEqual([body.thinking, body.output_config], [{ type: 'adaptive', display: 'summarized' }, { effort: 'low' }]);
    assert.equal(body.max_tokens, 500);
  });
});
