import assert from 'node:assert/strict';
import { type Message, user } from '../../../../src/core/model/messages.ts';
import { toContent, toParameters } from '../../../../src/providers/gemini/convert.ts';
import { setPartial } from '../../../../src/providers/gemini/partial.ts';
import { answersOf } from '../../../support/answers.ts';

const MODEL = 'gemini-test';
const own = { provider: 'gemini', model: MODEL };
const assistant = answersOf(own);
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
const call = { type: 'tool_call' as const, id: 'call_1', name: 'read_file', input: { path: 'a' } };
const functionCall = { name: 'read_file', args: { path: 'a' } };

describe('gemini: messages become contents', () => {
  const cases: [title: string, message: Message, parts: unknown[] | undefined][] = [
    ['text of the user', user('Hi'), [{ text: 'Hi' }]],
    [
      'an image of the user',
      { role: 'user', content: [{ type: 'text', text: '' }, image] },
      [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    ],
    ['an empty answer', assistant([{ type: 'text', text: '' }]), undefined],
    [
      'an empty text that carries a signature',
      assistant([
        { type: 'text', text: 'Yes' },
        { type: 'text', text: '', replay: { signature: 's' } },
      ]),
      [{ text: 'Yes' }, { text: '', thoughtSignature: 's' }],
    ],
    ['a thought', assistant([{ type: 'reasoning', text: 'Hm.' }]), undefined],
    [
      'a thought with a signature',
      assistant([{ type: 'reasoning', text: 'Hm.', replay: { signature: 's' } }]),
      [{ text: 'Hm.', thought: true, thoughtSignature: 's' }],
    ],
    [
      'a call with id and signature',
      assistant([{ ...call, replay: { id: 'fc-1', signature: 's' } }]),
      [{ functionCall: { id: 'fc-1', ...functionCall }, thoughtSignature: 's' }],
    ],
    ['a call that came without an id', assistant([call]), [{ functionCall }]],
    [
      'calls of another model',
      assistant([{ ...call, replay: { signature: 's' } }, call], { provider: 'openai', model: MODEL }),
      [
        { functionCall: { id: 'call_1', ...functionCall }, thoughtSignature: 'skip_thought_signature_validator' },
        { functionCall: { id: 'call_1', ...functionCall } },
      ],
    ],
    [
      'a part that Kedge does not know',
      assistant([{ type: 'reasoning', text: '', replay: { part: { executableCode: { code: '1' } } } }]),
      [{ executableCode: { code: '1' } }],
    ],
  ];
  for (const [title, message, parts] of cases) it(title, () => assert.deepEqual(toContent(message, MODEL)[0]?.parts, parts));

  it('gives a result the id that its call was received with, or no id', () => {
    const result = (callId: string, isError = false): Message => ({
      role: 'tool',
      content: [{ type: 'tool_result', callId, name: 'read_file', content: [{ type: 'text', text: 'Ok.' }, image], isError }],
    });
    const messages = [
      assistant([{ ...call, id: 'fc-1_2', replay: { id: 'fc-1' } }]),
      result('fc-1_2'),
      assistant([call]),
      result('call_1', true),
    ];
    const { contents, config } = toParameters({ model: MODEL, system: '', messages, tools: [], reasoningEffort: 'high' });
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    assert.deepEqual(
      (contents as { parts: unknown }[]).filter((_, index) => index % 2 === 1).map(({ parts }) => parts),
      [
        [{ functionResponse: { id: 'fc-1', name: 'read_file', response: { output: 'Ok.\n[image image/png]' } } }, { inlineData }],
        [{ functionResponse: { name: 'read_file', response: { error: 'Ok.\n[image image/png]' } } }, { inlineData }],
      ],
    );
    assert.deepEqual(config?.thinkingConfig, { includeThoughts: true, thinkingLevel: 'HIGH' });
  });
});

describe('gemini: streamed arguments', () => {
  const cases: [title: string, pieces: Parameters<typeof setPartial>[1][], args: unknown][] = [
    [
      'a text in pieces',
      [
        { jsonPath: '$.a', stringValue: 'one ' },
        { jsonPath: '$.a', stringValue: 'two' },
      ],
      { a: 'one two' },
    ],
    ['objects and lists on the way', [{ jsonPath: '$.a[1].b', numberValue: 0 }], { a: [undefined, { b: 0 }] }],
    ['names in quotes', [{ jsonPath: `$['a b']["c'd"]`, boolValue: false }], { 'a b': { "c'd": false } }],
    ['nothing', [{ jsonPath: '$.a', nullValue: 'NULL_VALUE' }], { a: null }],
    ['no path', [{ stringValue: 'x' }], {}],
    ['the way to the prototype', [{ jsonPath: '$.__proto__.polluted', boolValue: true }], {}],
  ];
  for (const [title, pieces, args] of cases) {
    it(title, () => {
      const made = {};
      for (const piece of pieces) setPartial(made, piece);
      assert.equal(JSON.stringify(made), JSON.stringify(args));
      assert.equal('polluted' in {}, false);
    });
  }
});
