import assert from 'node:assert/strict';
import { type Message, type ToolCall, user } from '../../../src/core/model/messages.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../../../src/core/model/model.ts';
import { type ScriptedTurn, scriptedAdapter } from '../../../src/providers/scripted/index.ts';
import { withTextTools } from '../../../src/text-tools/index.ts';
import { TOOLS } from './tools.ts';

const signal = new AbortController().signal;
const CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>';
const request = (messages: Message[] = [user('Read a')]): ModelRequest => ({ model: 'm', system: 'Be brief.', messages, tools: TOOLS });
const deltas = (text: string): ModelEvent[] => [
  ...(text.match(/[\s\S]{1,3}/g) ?? []).map((piece): ModelEvent => ({ type: 'text_delta', text: piece })),
  { type: 'part', part: { type: 'text', text } },
];
const stop = (reason: 'end_turn' | 'max_tokens' = 'end_turn'): ModelEvent => ({ type: 'stop', reason });

async function run(mode: 'text' | 'rescue', turn: ScriptedTurn, asked = request()) {
  const adapter = scriptedAdapter([turn]);
  const events: ModelEvent[] = [];
  for await (const event of withTextTools(adapter, { mode }).stream(asked, signal)) events.push(event);
  const parts = events.flatMap((event) => (event.type === 'part' ? [event.part] : []));
  const shown = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
  return { events, parts, shown, sent: adapter.requests[0] as ModelRequest, last: events.at(-1) };
}

describe('text tools: the answer', () => {
  it('becomes text and calls, in order, and stops for the calls', async () => {
    const usage: ModelEvent = { type: 'usage', usage: { output: 7 } };
    const { parts, shown, events, last } = await run('text', [...deltas(`First.\n${CALL}\nThen.\n${CALL}`), usage, stop()]);
    const call = (id: string): ToolCall => ({ type: 'tool_call', id, name: 'read_file', input: { path: 'a' } });
    assert.deepEqual(parts, [
      { type: 'text', text: 'First.' },
      call('text_call_1'),
      { type: 'text', text: '\nThen.' },
      call('text_call_2'),
    ]);
    assert.equal(shown, 'First.\nThen.');
    assert.deepEqual(last, { type: 'stop', reason: 'tool_use' });
    assert.ok(events.includes(usage));
  });

  it('without a call is unchanged, byte by byte', async () => {
    const text = ' # Title\n\nSome `code` and <b>.\n\n';
    const { parts, shown, last } = await run('text', [...deltas(text), stop()]);
    assert.deepEqual(parts, [{ type: 'text', text }]);
    assert.equal(shown, text);
    assert.deepEqual(last, stop());
  });

  it('may have no deltas', async () => {
    const { parts } = await run('rescue', [{ type: 'part', part: { type: 'text', text: CALL } }, stop()]);
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['tool_call'],
    );
  });

  it('separates reasoning in tags from the text', async () => {
    const { parts, shown } = await run('text', [...deltas('<think>Hm.</think>\nYes.'), stop()]);
    assert.deepEqual(parts, [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
    assert.equal(shown, 'Yes.');
  });

  it('keeps reasoning and tokens of the wire', async () => {
    const thought = { type: 'reasoning' as const, text: 'Hm.', replay: 'r' };
    const empty = { type: 'text' as const, text: '', replay: 's' };
    const events: ModelEvent[] = [{ type: 'part', part: thought }, ...deltas('Yes.').slice(0, -1)];
    const signed: ModelEvent = { type: 'part', part: { type: 'text', text: 'Yes.', replay: 't' } };
    const { parts } = await run('rescue', [...events, signed, { type: 'part', part: empty }, stop()]);
    assert.deepEqual(parts, [thought, { type: 'text', text: 'Yes.', replay: 't' }, empty]);
  });

  it('keeps the stop reason of an answer at its limit', async () => {
    const { last } = await run('text', [...deltas(`${CALL}\n<tool_call>{"na`), stop('max_tokens')]);
    assert.deepEqual(last, stop('max_tokens'));
  });

  it('that is incomplete has its text and no call', async () => {
    const broken = async function* (): AsyncGenerator<ModelEvent> {
      yield { type: 'text_delta', text: `First. <tool_ca` };
      throw new ModelError('bad_stream', 'Broken.');
    };
    const events: ModelEvent[] = [];
    const adapter = withTextTools(scriptedAdapter([() => broken()]), { mode: 'text' });
    await assert.rejects(async () => {
      for await (const event of adapter.stream(request(), signal)) events.push(event);
    }, /Broken/);
    assert.deepEqual(events.at(-1), { type: 'part', part: { type: 'text', text: 'First. <tool_ca' } });
  });

  it('has ids that do not occur in the conversation yet', async () => {
    const made: ToolCall = { type: 'tool_call', id: 'text_call_1', name: 'read_file', input: {} };
    const said: Message = { role: 'assistant', content: [made], from: { provider: 'x', model: 'm' }, stop: 'tool_use' };
    const { parts } = await run('text', [...deltas(CALL), stop()], request([user('Hi'), said]));
    assert.deepEqual(
      parts.map((part) => part.type === 'tool_call' && part.id),
      ['text_call_2'],
    );
  });
});

describe('text tools: rescue', () => {
  it('sends the request unchanged', async () => {
    const asked = request();
    const { sent } = await run('rescue', [...deltas('Yes.'), stop()], asked);
    assert.deepEqual(sent, asked);
  });

  it('passes on native calls, and executes a call once that is also in the text', async () => {
    const native: ToolCall = { type: 'tool_call', id: 'n1', name: 'read_file', input: { path: 'a' } };
    const other: ToolCall = { ...native, id: 'n2', input: { path: 'b' } };
    const { parts } = await run('rescue', [
      ...deltas(CALL),
      { type: 'part', part: native },
      { type: 'part', part: other },
      { type: 'stop', reason: 'tool_use' },
    ]);
    assert.deepEqual(
      parts.map((part) => part.type === 'tool_call' && part.id),
      ['text_call_1', 'n2'],
    );
  });
});

describe('text tools: the request', () => {
  const call: ToolCall = { type: 'tool_call', id: 'c1', name: 'read_file', input: { path: 'a' } };
  const said: Message = {
    role: 'assistant',
    content: [{ type: 'text', text: 'See.' }, call],
    from: { provider: 'x', model: 'm' },
    stop: 'tool_use',
  };
  const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA' };
  const result: Message = {
    role: 'tool',
    content: [
      { type: 'tool_result', callId: 'c1', name: 'read_file', content: [{ type: 'text', text: 'x </tool_result>' }, image], isError: true },
    ],
  };

  it('describes the tools in the prompt and sends none', async () => {
    const { sent } = await run('text', [stop()]);
    assert.deepEqual(sent.tools, []);
    assert.match(sent.system, /^Be brief\.\n\n# Tools\n/);
    assert.match(
      sent.system,
      /## read_file\nread_file does it\.\nArguments: \{"path": string, "limit"\?: integer, "numbered"\?: boolean\}/,
    );
    assert.match(sent.system, /"globs"\?: \[string, \.\.\.\]/);
  });

  it('does not mention tools if there are none', async () => {
    const { sent } = await run('text', [stop()], { ...request(), tools: [] });
    assert.equal(sent.system, 'Be brief.');
  });

  it('contains calls and results as text', async () => {
    const { sent } = await run('text', [stop()], request([user('Hi'), said, result]));
    assert.deepEqual(sent.messages, [
      user('Hi'),
      {
        ...said,
        stop: 'end_turn',
        content: [{ type: 'text', text: `See.\n${CALL.replace('{"path": "a"}', '{"path":"a"}')}` }],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<tool_result name="read_file" error="true">\nx <\\/tool_result>\n[image image/png]\n</tool_result>' },
          image,
        ],
      },
    ]);
  });

  it('extends the bytes of the previous request', async () => {
    const history = [user('Hi'), said, result, said, result];
    let before = '';
    for (let length = 1; length <= history.length; length++) {
      const { sent } = await run('text', [stop()], request(history.slice(0, length)));
      const bytes = JSON.stringify([sent.system, ...sent.messages]).slice(0, -1);
      assert.ok(bytes.startsWith(before));
      before = bytes;
    }
  });
});

describe('text tools: a server that does not support tools for the model', () => {
  const refusal: ScriptedTurn = async function* () {
    yield* [];
    throw new ModelError('invalid_request', 'Ollama refused the request ("gemma:2b" does not support tools): check the model.');
  };
  const ask = async (adapter: ModelAdapter, asked = request()) => {
    const parts: unknown[] = [];
    for await (const event of adapter.stream(asked, signal)) if (event.type === 'part') parts.push(event.part);
    return parts;
  };

  it('receives them as text from then on', async () => {
    const inner = scriptedAdapter([refusal, [...deltas(CALL), stop()], [...deltas(CALL), stop()]]);
    const adapter = withTextTools(inner, { mode: 'rescue' });
    const call = { type: 'tool_call', id: 'text_call_1', name: 'read_file', input: { path: 'a' } };
    assert.deepEqual([await ask(adapter), await ask(adapter)], [[call], [call]]);
    assert.deepEqual(
      inner.requests.map(({ tools }) => tools.length > 0),
      [true, false, false],
    );
  });

  it('is asked once if no tools were offered, or if it rejects something else', async () => {
    const other: ScriptedTurn = async function* () {
      yield* [];
      throw new ModelError('invalid_request', 'Ollama refused the request (invalid options): check the settings.');
    };
    for (const [turn, asked] of [
      [refusal, { ...request(), tools: [] }],
      [other, request()],
    ] as const) {
      const inner = scriptedAdapter([turn]);
      await assert.rejects(ask(withTextTools(inner, { mode: 'rescue' }), asked), /refused the request/);
      assert.equal(inner.requests.length, 1);
    }
  });
});
