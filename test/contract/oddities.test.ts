/** Server behavior that the recordings do not cover. Each body is read through the real SDK, at once and byte by byte. */
import assert from 'node:assert/strict';
import { callsOf, user } from '../../src/core/model/messages.ts';
import { ModelError, type ModelEvent } from '../../src/core/model/model.ts';
import { listen } from '../support/listen.ts';
import { CHUNKINGS, startReplayServer } from '../support/replay-server.ts';
import { WIRES } from '../support/wires.ts';

type Expected = {
  text?: string;
  reasoning?: string;
  calls?: [name: string, input: unknown][];
  stop?: string;
  usage?: object;
  error?: [kind: string, message?: RegExp];
};
type Oddity = [what: string, body: string | Buffer, expected: Expected];

const sse = (...events: unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const DONE = 'data: [DONE]\n\n';

// Chat Completions
const chunk = (delta: unknown, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const hi = chunk({ content: 'Hi' });
const stop = chunk({}, 'stop');
const called = (...calls: unknown[]) => chunk({ tool_calls: calls });
const usage = { prompt_tokens: 3, completion_tokens: 2 };
const read = (path: string, more: object = {}) => ({ id: 'a', function: { name: 'read_file', arguments: `{"path":"${path}"}` }, ...more });

const CHAT: Oddity[] = [
  [
    'CRLF, comments, fields without a colon, and events of other names',
    `: hello\r\n\r\nevent\r\nid: 1\r\nretry: 5\r\nevent: chunk\r\ndata: ${JSON.stringify(hi)}\r\n\r\n: keep-alive\r\n\r\ndata: ${JSON.stringify(stop)}\r\n\r\n${DONE}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'no space behind the colon',
    `data:${JSON.stringify(hi)}\n\ndata:${JSON.stringify(stop)}\n\ndata:[DONE]\n\n`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'data over several lines',
    `data: {"choices":[{"index":0,\ndata: "delta":{"content":"Hi"}}]}\n\n${sse(stop)}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['a byte order mark', `\ufeff${sse(hi, stop)}${DONE}`, { text: 'Hi', stop: 'end_turn' }],
  ['null for an event', `${sse(hi)}data: null\n\n${sse(stop)}${DONE}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'events without data, which keep the connection',
    `data:\n\n${sse(hi)}data: \n\nevent: ping\n\nevent: ping\r\ndata:\r\n\r\n${sse(stop)}${DONE}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['an empty line of data among others', `data:\ndata: ${JSON.stringify(hi)}\ndata:\n\n${sse(stop)}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'an error that is no event',
    `${sse(hi)}${JSON.stringify({ error: { message: 'The engine is overloaded', code: 503 } }, null, 2)}\n`,
    { text: 'Hi', error: ['overloaded', /The engine/] },
  ],
  ['a last event without its blank line', `${sse(hi)}data: ${JSON.stringify(stop)}`, { text: 'Hi', stop: 'end_turn' }],
  ['something behind [DONE]', `${sse(hi, stop)}${DONE}${sse({ error: { message: 'late' } })}`, { text: 'Hi', stop: 'end_turn' }],
  ['no finish_reason, with [DONE]', `${sse(hi)}${DONE}`, { text: 'Hi', error: ['bad_stream'] }],
  [
    'no finish_reason, but the usage of the whole answer at its end',
    `${sse(hi, { choices: [], usage })}${DONE}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a call without a finish_reason, and the usage of the whole answer at its end',
    `${sse(called({ index: 0, ...read('a') }), { choices: [], usage })}${DONE}`,
    { calls: [['read_file', { path: 'a' }]], stop: 'tool_use' },
  ],
  ['no finish_reason, and usage before the answer', `${sse({ choices: [], usage }, hi)}${DONE}`, { text: 'Hi', error: ['bad_stream'] }],
  ['usage and nothing else', `${sse({ choices: [], usage })}${DONE}`, { error: ['bad_stream'] }],
  ['[DONE] and nothing else', DONE, { error: ['bad_stream'] }],
  [
    'null deltas, and choices that are null or missing',
    sse({ choices: null }, {}, { choices: [{ index: 0, delta: null }] }, hi, stop),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a whole message instead of deltas',
    sse({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'usage alone, before and behind the end',
    sse({ choices: [], usage: null }, hi, stop, { choices: [], usage }),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 2 } },
  ],
  [
    'usage of nothing at first',
    sse(chunk({ content: 'Hi' }, null, { usage: {} }), chunk({}, 'stop', { usage })),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 2 } },
  ],
  [
    'calls in turns by their index',
    sse(
      called(
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } },
      ),
      called({ index: 1, function: { arguments: ':2}' } }),
      called({ index: 0, function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
    {
      calls: [
        ['f', { x: 1 }],
        ['g', { y: 2 }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'a name that is repeated with every piece',
    sse(
      called({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      called({ index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'arguments as an object',
    sse(called({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }), chunk({}, 'stop')),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'arguments null',
    sse(called({ index: 0, id: 'a', function: { name: 'f', arguments: null } }), chunk({}, 'tool_calls')),
    { calls: [['f', {}]], stop: 'tool_use' },
  ],
  [
    'arguments that are the text null',
    sse(called({ index: 0, id: 'a', function: { name: 'f', arguments: 'null' } }), chunk({}, 'tool_calls')),
    { calls: [['f', {}]], stop: 'tool_use' },
  ],
  [
    'arguments that are a text which holds JSON',
    sse(
      called({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      called({ index: 0, function: { arguments: '' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', {}]], stop: 'tool_use' },
  ],
  [
    'a call whose id comes later than its name',
    sse(
      called({ index: 0, function: { name: 'f', arguments: '' } }),
      called({ index: 0, id: 'a', function: { arguments: '{}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', {}]], stop: 'tool_use' },
  ],
  [
    'two whole calls at one index with ids of their own',
    sse(called({ index: 0, ...read('a') }), called({ index: 0, ...read('b', { id: 'b' }) }), chunk({}, 'tool_calls')),
    {
      calls: [
        ['read_file', { path: 'a' }],
        ['read_file', { path: 'b' }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'two whole calls at one index without ids',
    sse(
      called({ index: 0, ...read('a', { id: undefined }) }),
      called({ index: 0, ...read('b', { id: undefined }) }),
      chunk({}, 'tool_calls'),
    ),
    {
      calls: [
        ['read_file', { path: 'a' }],
        ['read_file', { path: 'b' }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'two calls with the same id at indexes of their own',
    sse(called({ index: 0, ...read('a') }, { index: 1, ...read('b') }), chunk({}, 'tool_calls')),
    {
      calls: [
        ['read_file', { path: 'a' }],
        ['read_file', { path: 'b' }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'the function_call of old servers',
    sse(
      chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      chunk({}, 'function_call'),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  ['calls without a finish_reason, with [DONE]', `${sse(called({ index: 0, ...read('a') }))}${DONE}`, { error: ['bad_stream'] }],
  ['an empty finish_reason until the end', sse(chunk({ content: 'Hi' }, ''), stop), { text: 'Hi', stop: 'end_turn' }],
  ['a finish_reason that nobody knows', sse(hi, chunk({}, 'eos')), { text: 'Hi', stop: 'other' }],
  [
    'a second choice',
    sse(hi, { choices: [{ index: 1, delta: { content: 'Yo' }, finish_reason: null }] }, stop),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['an error as a text', sse(hi, { error: 'the model crashed' }), { text: 'Hi', error: ['bad_stream', /the model crashed/] }],
  [
    'an error within a choice',
    sse(hi, { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 502, message: 'Upstream failed' } }] }),
    { text: 'Hi', error: ['overloaded', /Upstream failed/] },
  ],
  [
    'an error as an event of that name',
    `${sse(hi)}event: error\n${sse({ error: { message: 'overloaded', code: 529 } })}`,
    { text: 'Hi', error: ['overloaded'] },
  ],
  [
    'an error without the word, as vLLM has it',
    sse({ object: 'error', message: 'The model does not exist.', type: 'NotFoundError', code: 404 }),
    { error: ['unknown_model', /does not exist/] },
  ],
  [
    'an error as plain JSON with status 200',
    JSON.stringify({ error: { message: 'Rate limit reached', code: 429 } }),
    { error: ['rate_limit', /Rate limit reached/] },
  ],
  [
    'surrogates as escapes, split over deltas',
    'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"\\ude00"}}]}\n\n' +
      sse(stop),
    { text: '😀', stop: 'end_turn' },
  ],
  [
    'reasoning under two names at once',
    sse(chunk({ reasoning: 'Hm', reasoning_content: 'Hm' }), chunk({ content: 'Hi' }), stop),
    { text: 'Hi', reasoning: 'Hm', stop: 'end_turn' },
  ],
  [
    'reasoning in the details alone',
    sse(chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] }), chunk({ content: 'Hi' }), stop),
    { text: 'Hi', reasoning: 'Hm', stop: 'end_turn' },
  ],
  [
    'what Azure filtered, before the first and behind the last chunk',
    sse({ id: '', object: '', choices: [], prompt_filter_results: [{}] }, hi, stop, {
      id: '',
      choices: [{ index: 0, finish_reason: null }],
    }),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['an end that is an error', sse(hi, chunk({ content: '' }, 'error')), { text: 'Hi', error: ['bad_stream'] }],
  [
    'an error that Groq puts aside',
    sse(hi, chunk({}, 'stop', { x_groq: { error: 'over capacity' } })),
    { text: 'Hi', error: ['overloaded', /over capacity/] },
  ],
  ['the limit under the name that Mistral has for it', sse(hi, chunk({}, 'model_length')), { text: 'Hi', stop: 'max_tokens' }],
  ["another wire's word for the end", sse(hi, chunk({}, 'MAX_TOKENS')), { text: 'Hi', stop: 'max_tokens' }],
  [
    'thoughts that xAI counts beside the rest',
    sse(hi, stop, { choices: [], usage: { ...usage, total_tokens: 45, completion_tokens_details: { reasoning_tokens: 40 } } }),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 42, reasoning: 40 } },
  ],
  [
    'the whole message once more behind its deltas',
    sse(hi, { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['blanks around [DONE]', `${sse(hi, stop)}data:  [DONE] \n\n`, { text: 'Hi', stop: 'end_turn' }],
  ['reasoning that is no text', sse(chunk({ reasoning: {}, content: 'Hi' }), stop), { text: 'Hi', stop: 'end_turn' }],
  [
    'a call that is null, and one that is not in a list',
    sse(chunk({ tool_calls: [null] }), chunk({ tool_calls: { index: 0, ...read('a') } }), chunk({}, 'tool_calls')),
    { calls: [['read_file', { path: 'a' }]], stop: 'tool_use' },
  ],
  [
    'indexes that are texts',
    sse(
      called({ index: '0', id: 'a', function: { name: 'f', arguments: '{"x"' } }, { index: '1', ...read('b', { id: 'b' }) }),
      called({ index: '0', function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
    {
      calls: [
        ['f', { x: 1 }],
        ['read_file', { path: 'b' }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'several calls at once without indexes, told apart by their order',
    sse(
      called({ id: 'a', function: { name: 'f', arguments: '' } }, { id: 'b', function: { name: 'g', arguments: '' } }),
      called({ function: { arguments: '{"x"' } }, { function: { arguments: '{"y":2}' } }),
      called({ index: 0, function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
    {
      calls: [
        ['f', { x: 1 }],
        ['g', { y: 2 }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'a call whose index comes with its second piece',
    sse(
      called({ id: 'a', function: { name: 'f', arguments: '' } }),
      called({ index: 0, function: { arguments: '{"x":1}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'usage within the choice',
    sse(hi, { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 2 } },
  ],
  [
    'another id with every piece, and the name repeated',
    sse(
      called({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
      called({ index: 0, id: 'b', function: { name: 'f', arguments: '{"x"' } }),
      called({ index: 0, id: 'c', function: { name: 'f', arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'a name in pieces',
    sse(
      called({ index: 0, id: 'a', function: { name: 'read_', arguments: '' } }),
      called({ index: 0, function: { name: 'file', arguments: '' } }),
      called({ index: 0, function: { name: 'read_file', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['read_file', {}]], stop: 'tool_use' },
  ],
  [
    'the whole arguments once more behind their pieces',
    sse(
      called({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      called({ index: 0, function: { arguments: ':1}' } }),
      called({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }),
      chunk({}, 'tool_calls'),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
];

// Responses
const item = (type: string, more: object = {}) => ({ id: `${type}_1`, type, ...more });
const message = (text: string) => item('message', { role: 'assistant', content: [{ type: 'output_text', text }] });
const fn = (more: object = {}) => item('function_call', { call_id: 'a', name: 'f', arguments: '{"x":1}', ...more });
const done = (index: number, what: unknown) => ({ type: 'response.output_item.done', output_index: index, item: what });
const added = (index: number, what: unknown) => ({ type: 'response.output_item.added', output_index: index, item: what });
const completed = (output: unknown[] = [], more: object = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', output, ...more },
});
const words = (delta: string, index = 0) => ({ type: 'response.output_text.delta', output_index: index, delta });

const RESPONSES: Oddity[] = [
  [
    'CRLF and comments',
    `: x\r\n\r\nevent: response.output_text.delta\r\ndata: ${JSON.stringify(words('Hi'))}\r\n\r\ndata: ${JSON.stringify(completed([message('Hi')]))}\r\n\r\n`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'events without data, which keep the connection',
    `data:\n\n${sse(words('Hi'))}event: keepalive\n\nevent: keepalive\ndata: \n\n${sse(completed([message('Hi')]))}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'an item that is done twice',
    sse(words('Hi'), done(0, message('Hi')), done(0, message('Hi')), done(1, fn()), done(1, fn()), completed()),
    { text: 'Hi', calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'a call that is done twice, with another status',
    sse(done(0, fn({ status: 'in_progress' })), done(0, fn({ status: 'completed' })), completed([fn({ status: 'completed' })])),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'items that are done out of order',
    sse(
      added(0, fn()),
      added(1, fn({ call_id: 'b' })),
      done(1, fn({ call_id: 'b', name: 'g' })),
      done(0, fn()),
      completed([fn(), fn({ call_id: 'b', name: 'g' })]),
    ),
    {
      calls: [
        ['g', { x: 1 }],
        ['f', { x: 1 }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'events of unknown kinds',
    sse(
      { type: 'response.queued' },
      { type: 'keepalive' },
      {},
      words('Hi'),
      done(0, message('Hi')),
      { type: 'response.custom.thing', output_index: 7 },
      completed(),
    ),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['null for an event', `data: null\n\n${sse(words('Hi'), done(0, message('Hi')), completed())}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'arguments that only the event of their end has',
    sse(
      added(0, fn({ arguments: '' })),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      completed(),
    ),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'words that only the event of their end has',
    sse(added(0, item('message')), { type: 'response.output_text.done', output_index: 0, text: 'Hi' }, completed()),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['arguments as an object', sse(done(0, fn({ arguments: { x: 1 } })), completed()), { calls: [['f', { x: 1 }]], stop: 'tool_use' }],
  [
    'a completed response that says it is incomplete',
    sse(
      words('Hi'),
      done(0, message('Hi')),
      completed([message('Hi')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    ),
    { text: 'Hi', stop: 'max_tokens' },
  ],
  [
    'response.done instead of completed',
    sse(words('Hi'), done(0, message('Hi')), { type: 'response.done', response: { status: 'completed', output: [message('Hi')] } }),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a cancelled response',
    sse(words('Hi'), { type: 'response.cancelled', response: { status: 'cancelled' } }),
    { text: 'Hi', error: ['bad_stream'] },
  ],
  [
    'an error object as in Chat Completions',
    sse({ error: { message: 'Slow down', type: 'rate_limit_error' } }),
    { error: ['rate_limit', /Slow down/] },
  ],
  [
    'an error nested in its event',
    `event: error\n${sse({ type: 'error', error: { type: 'server_error', code: 'server_error', message: 'It broke' } })}`,
    { error: ['overloaded', /It broke/] },
  ],
  ['a failure without an error', sse({ type: 'response.failed', response: {} }), { error: ['bad_stream'] }],
  ...['failed', 'cancelled'].map(
    (status): Oddity => [
      `a completed response that is ${status}`,
      sse(words('Hi'), completed([], { status })),
      { text: 'Hi', error: ['bad_stream'] },
    ],
  ),
  [
    'the limit in mid-word, and no item',
    sse(
      { type: 'response.reasoning_text.delta', output_index: 0, delta: 'Hm' },
      words('Hi', 1),
      added(2, fn({ arguments: '' })),
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"x"' },
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
    ),
    { text: 'Hi', reasoning: 'Hm', stop: 'max_tokens' },
  ],
  [
    'the limit inside a call that says it is whole',
    sse(done(0, fn()), done(1, fn({ call_id: 'b', arguments: '{"x"', status: 'completed' })), {
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' } },
    }),
    { calls: [['f', { x: 1 }]], stop: 'max_tokens' },
  ],
  [
    'thoughts that the item itself does not have',
    sse(
      added(0, item('reasoning')),
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
      done(0, item('reasoning', { summary: [] })),
      words('Hi', 1),
      done(1, message('Hi')),
      completed(),
    ),
    { text: 'Hi', reasoning: 'Hm', stop: 'end_turn' },
  ],
  [
    'thoughts without an item',
    sse({ type: 'response.reasoning_text.delta', output_index: 0, delta: 'Hm' }, words('Hi'), completed()),
    { text: 'Hi', reasoning: 'Hm', stop: 'end_turn' },
  ],
  [
    'parts that only the events of their end have',
    sse(
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'H' },
      { type: 'response.content_part.done', output_index: 0, content_index: 0, part: { type: 'output_text', text: 'H' } },
      { type: 'response.content_part.done', output_index: 0, content_index: 1, part: { type: 'output_text', text: 'i' } },
      completed(),
    ),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a refusal that only the event of its end has',
    sse({ type: 'response.refusal.done', output_index: 0, refusal: 'No' }, completed()),
    { text: 'No', stop: 'refusal' },
  ],
  [
    'an item that does not say what it is',
    sse(words('Hi'), done(0, { role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }), completed()),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'one index for all items',
    sse(added(0, item('message')), words('Hi'), done(0, message('Hi')), added(0, fn()), done(0, fn()), completed([message('Hi'), fn()])),
    { text: 'Hi', calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  ...'web_search_call code_interpreter_call image_generation_call mcp_call compaction custom_tool_call'
    .split(' ')
    .map(
      (type): Oddity => [
        `an item of the kind ${type}`,
        sse(
          added(0, item(type)),
          { type: `response.${type}_arguments.delta`, output_index: 0, delta: '{}' },
          done(0, item(type, { name: 'x', arguments: '{}' })),
          words('Hi', 1),
          done(1, message('Hi')),
          completed([item(type), message('Hi')]),
        ),
        { text: 'Hi', stop: 'end_turn' },
      ],
    ),
];

// Anthropic
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, what: object) => ({ type: 'content_block_delta', index, delta: what });
const end = (index: number) => ({ type: 'content_block_stop', index });
const text = (index: number, said: string) => [
  block(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: said }),
  end(index),
];
const ends = (stop_reason: string | null, more: object = {}) => [
  { type: 'message_delta', delta: { stop_reason }, ...more },
  { type: 'message_stop' },
];
const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const named = (...events: ({ type: string } & Record<string, unknown>)[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const ANTHROPIC: Oddity[] = [
  [
    'CRLF, pings and comments',
    `: hi\n\n${named(start)}event: ping\r\ndata: {"type": "ping"}\r\n\r\n${named(...text(0, 'Hi'), ...ends('end_turn'))}`,
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 1 } },
  ],
  [
    'events without data, which keep the connection',
    `data:\n\n${named(start)}event: ping\n\nevent: ping\ndata: \n\n${named(...text(0, 'Hi'), ...ends('end_turn'))}`,
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 1 } },
  ],
  [
    'events without a name',
    `\ufeff: hi\r\n\r\n${sse(start, { type: 'ping' }, ...text(0, 'Hi'), ...ends('end_turn'))}${DONE}`,
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 1 } },
  ],
  [
    'an error without a name',
    sse(start, ...text(0, 'Hi'), { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }),
    { text: 'Hi', error: ['overloaded', /Busy/] },
  ],
  [
    'a name behind its data',
    named(start, ...text(0, 'Hi'), ...ends('end_turn')).replace(/(event: .*\n)(data: .*\n)/g, '$2$1'),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'blocks in turns',
    named(
      start,
      block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      block(1, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"y"' }),
      delta(0, { type: 'input_json_delta', partial_json: '{"x":1}' }),
      delta(1, { type: 'input_json_delta', partial_json: ':2}' }),
      end(0),
      end(1),
      ...ends('tool_use'),
    ),
    {
      calls: [
        ['f', { x: 1 }],
        ['g', { y: 2 }],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'a second message_start',
    named(start, start, ...text(0, 'Hi'), ...ends('end_turn')),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 1 } },
  ],
  ['no stop_reason at all', named(start, ...text(0, 'Hi'), { type: 'message_stop' }), { text: 'Hi', stop: 'other' }],
  [
    'calls without a stop_reason',
    named(start, block(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }), end(0), ...ends(null)),
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'no content_block_stop',
    named(start, block(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Hi' }), ...ends('end_turn')),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'no content_block_start',
    named(start, delta(0, { type: 'text_delta', text: 'Hi' }), end(0), ...ends('end_turn')),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'citations and unknown deltas',
    named(
      start,
      block(0, { type: 'text', text: '' }),
      delta(0, { type: 'citations_delta', citation: {} }),
      delta(0, { type: 'text_delta', text: 'Hi' }),
      delta(0, { type: 'new_delta' }),
      end(0),
      { type: 'new_event' },
      ...ends('end_turn'),
    ),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a tool of the server, and its result',
    named(
      start,
      block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      end(0),
      block(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
      end(1),
      ...text(2, 'Hi'),
      ...ends('end_turn'),
    ),
    { text: 'Hi', stop: 'end_turn', calls: [] },
  ],
  [
    'redacted thinking',
    named(start, block(0, { type: 'redacted_thinking', data: 'xyz' }), end(0), ...text(1, 'Hi'), ...ends('end_turn')),
    { text: 'Hi', reasoning: '', stop: 'end_turn' },
  ],
  ['[DONE] at the end', `${named(start, ...text(0, 'Hi'), ...ends('end_turn'))}data: [DONE]\n\n`, { text: 'Hi', stop: 'end_turn' }],
  [
    'another answer in the middle of the first',
    named(
      { ...start, message: { id: 'a' } },
      block(0, { type: 'thinking', thinking: 'Hm', signature: 's' }),
      end(0),
      block(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"x"' }),
      { ...start, message: { id: 'b' } },
      ...text(0, 'Hi'),
      ...ends('end_turn'),
    ),
    { reasoning: 'Hm', error: ['bad_stream', /another answer/] },
  ],
  [
    'the same start once more between blocks',
    named({ ...start, message: { id: 'a' } }, ...text(0, 'H'), { ...start, message: { id: 'a' } }, ...text(1, 'i'), ...ends('end_turn')),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'the whole content in the start',
    named(
      {
        type: 'message_start',
        message: {
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          ],
          stop_reason: 'tool_use',
        },
      },
      { type: 'message_stop' },
    ),
    { text: 'Hi', calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'null where texts are expected',
    named(
      start,
      { type: 'content_block_start', index: 0, content_block: null },
      { type: 'content_block_delta', index: 0, delta: null },
      end(0),
      block(1, { type: 'text', text: null }),
      delta(1, { type: 'text_delta', text: null }),
      delta(1, { type: 'text_delta', text: 'Hi' }),
      end(1),
      block(2, { type: 'tool_use', id: 'a', name: 'f', input: '' }),
      delta(2, { type: 'input_json_delta', partial_json: null }),
      end(2),
      { type: 'message_delta', delta: null, usage: null },
      ...ends('tool_use'),
    ),
    { text: 'Hi', calls: [['f', {}]], stop: 'tool_use' },
  ],
  [
    'the end of the context inside a call',
    named(
      start,
      block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"x"' }),
      end(0),
      ...ends('model_context_window_exceeded'),
    ),
    { calls: [], stop: 'max_tokens' },
  ],
  [
    'an input that becomes less when it is compacted',
    named(
      { ...start, message: { usage: { input_tokens: 100, cache_read_input_tokens: 5000, output_tokens: 7 } } },
      ...text(0, 'Hi'),
      ...ends('end_turn', { usage: { input_tokens: 180, cache_read_input_tokens: 0, output_tokens: 8 } }),
    ),
    { text: 'Hi', stop: 'end_turn', usage: { input: 180, output: 8, cached: 0 } },
  ],
  [
    'an end that does not know the input',
    named(
      { ...start, message: { usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 1 } } },
      ...text(0, 'Hi'),
      ...ends('end_turn', { usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 } }),
    ),
    { text: 'Hi', stop: 'end_turn', usage: { input: 12, output: 2, cached: 9 } },
  ],
  [
    'a summary of what was compacted, and an edited context',
    named(
      start,
      block(0, { type: 'compaction', content: null }),
      delta(0, { type: 'compaction_delta', content: 'So far' }),
      end(0),
      ...text(1, 'Hi'),
      ...ends('end_turn', { context_management: { applied_edits: [] }, usage: { output_tokens: 4, iterations: [] } }),
    ),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3, output: 4 } },
  ],
  ['a refusal before the first word', named(start, ...ends('refusal')), { stop: 'refusal' }],
];

// Gemini
const said = (parts: unknown, more: object = {}) => ({ candidates: [{ content: { role: 'model', parts }, ...more }] });
const STOP = { finishReason: 'STOP' };

const GEMINI: Oddity[] = [
  ['CRLF and no space behind the colon', `data:${JSON.stringify(said([{ text: 'Hi' }], STOP))}\r\n\r\n`, { text: 'Hi', stop: 'end_turn' }],
  [
    'events without data, which keep the connection',
    `data:\n\n${sse(said([{ text: 'Hi' }]))}data: \n\nevent: ping\ndata:\n\n${sse(said([{ text: '!' }], STOP))}`,
    { text: 'Hi!', stop: 'end_turn' },
  ],
  [
    'comments, names and ids before the data, and data over several lines',
    `: hi\nevent: message\nid: 1\ndata: ${JSON.stringify(said([{ text: 'Hi' }]))}\n\n: hi\n\ndata: {"candidates":\ndata: ${JSON.stringify(said([{ text: '!' }], STOP).candidates)}}\nretry: 3\n\n`,
    { text: 'Hi!', stop: 'end_turn' },
  ],
  [
    'an error that is no event, over several lines',
    `${sse(said([{ text: 'Hi' }]))}${JSON.stringify({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }, null, 2)}\n`,
    { text: 'Hi', error: ['overloaded', /Overloaded/] },
  ],
  ['a last event without its blank line', `data: ${JSON.stringify(said([{ text: 'Hi' }], STOP))}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'an error in a list instead of a stream',
    JSON.stringify([{ error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }]),
    { error: ['rate_limit', /Quota/] },
  ],
  [
    'no candidates, then some',
    sse({ candidates: [] }, { usageMetadata: { promptTokenCount: 3 } }, said([{ text: 'Hi' }], STOP)),
    { text: 'Hi', stop: 'end_turn', usage: { input: 3 } },
  ],
  [
    'candidates null, content null, parts null',
    sse(
      { candidates: null },
      { candidates: [{ content: null }] },
      { candidates: [{ content: { parts: null } }] },
      said([{ text: 'Hi' }], STOP),
    ),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'a second candidate',
    sse({
      candidates: [
        { index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' },
        { index: 1, content: { parts: [{ text: 'Yo' }] }, finishReason: 'STOP' },
      ],
    }),
    { text: 'Hi', stop: 'end_turn' },
  ],
  ['thoughts alone', sse(said([{ text: 'Hm', thought: true }], STOP)), { reasoning: 'Hm', stop: 'end_turn' }],
  ['a call without arguments', sse(said([{ functionCall: { name: 'f' } }], STOP)), { calls: [['f', {}]], stop: 'tool_use' }],
  ['arguments null', sse(said([{ functionCall: { name: 'f', args: null } }], STOP)), { calls: [['f', {}]], stop: 'tool_use' }],
  [
    'a prompt that was blocked',
    sse({ promptFeedback: { blockReason: 'OTHER' }, usageMetadata: { promptTokenCount: 3 } }),
    { stop: 'refusal' },
  ],
  ['a malformed call', sse({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed' }] }), { stop: 'other' }],
  ['a reason that the type does not name', sse(said([{ text: 'Hi' }], { finishReason: 'NEW_REASON' })), { text: 'Hi', stop: 'other' }],
  ['words behind the finishing chunk', sse(said([{ text: 'H' }], STOP), said([{ text: 'i' }])), { text: 'Hi', stop: 'end_turn' }],
  [
    'an error inside the stream',
    sse(said([{ text: 'Hi' }]), { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }),
    { text: 'Hi', error: ['rate_limit'] },
  ],
  [
    'a list instead of a stream',
    `[${JSON.stringify(said([{ text: 'Hi' }]), null, 2)}\n,\r\n${JSON.stringify(said([{ text: '!' }], STOP), null, 2)}\n]`,
    { text: 'Hi!', stop: 'end_turn' },
  ],
  ['[DONE] at the end', `${sse(said([{ text: 'Hi' }], STOP))}data: [DONE]\n\n`, { text: 'Hi', stop: 'end_turn' }],
  ['a part that is null', sse(said([null, { text: 'Hi' }], STOP)), { text: 'Hi', stop: 'end_turn' }],
  [
    'code that it ran itself',
    sse(said([{ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } }, { text: 'Hi' }], STOP)),
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'two calls with one id',
    sse(said([{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }, { functionCall: { id: 'a', name: 'f', args: { x: 2 } } }], STOP)),
    {
      calls: [
        ['f', { x: 1 }],
        ['f', { x: 2 }],
      ],
      stop: 'tool_use',
    },
  ],
  ...[['STOP', [['f', { a: ['x'] }]], 'tool_use'] as const, ['MAX_TOKENS', [], 'max_tokens'] as const].map(
    ([finishReason, calls, reason]): Oddity => [
      `streamed arguments without their end, ${finishReason}`,
      sse(
        said([{ functionCall: { name: 'f', willContinue: true } }]),
        said([{ functionCall: { partialArgs: [{ jsonPath: '$.a[0]', stringValue: 'x', willContinue: true }], willContinue: true } }]),
        said([{ functionCall: { willContinue: true } }]),
        said([{ text: '' }], { finishReason }),
      ),
      { calls: calls.map(([name, input]) => [name, input]), stop: reason },
    ],
  ),
  ...['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'LANGUAGE'].map(
    (finishReason): Oddity => [`the reason ${finishReason}`, sse(said([{ text: 'Hi' }], { finishReason })), { text: 'Hi', stop: 'other' }],
  ),
  ...['MODEL_ARMOR', 'IMAGE_SAFETY', 'PROHIBITED_CONTENT'].map(
    (finishReason): Oddity => [
      `the reason ${finishReason}`,
      sse(said([{ text: 'Hi' }], { finishReason })),
      { text: 'Hi', stop: 'refusal' },
    ],
  ),
  [
    'counts in several chunks',
    sse(
      { ...said([{ text: 'H' }]), usageMetadata: { promptTokenCount: 3, toolUsePromptTokenCount: 4 } },
      { ...said([{ text: 'i' }], STOP), usageMetadata: { candidatesTokenCount: 2, thoughtsTokenCount: 5 } },
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
    ),
    { text: 'Hi', stop: 'end_turn', usage: { input: 7, output: 7, reasoning: 5 } },
  ],
];

// Ollama
const line = (message: object | null, more: object = { done: false }) =>
  `${JSON.stringify({ model: 'm', created_at: 'x', message, ...more })}\n`;
const finish = (more: object = {}) => line({ role: 'assistant', content: '' }, { done: true, done_reason: 'stop', ...more });
const says = (content: string, more: object = {}) => line({ role: 'assistant', content, ...more });

const OLLAMA: Oddity[] = [
  ['CRLF and blank lines', `\r\n${says('Hi').replace('\n', '\r\n')}\r\n\n${finish()}`, { text: 'Hi', stop: 'end_turn' }],
  ['a byte order mark', `\ufeff${says('Hi')}${finish()}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'another order of the fields',
    `${JSON.stringify({ done: false, message: { content: 'Hi' }, model: 'm' })}\n${finish()}`,
    { text: 'Hi', stop: 'end_turn' },
  ],
  [
    'words in the last line',
    line({ role: 'assistant', content: 'Hi' }, { done: true, done_reason: 'stop', eval_count: 2 }),
    { text: 'Hi', stop: 'end_turn', usage: { output: 2 } },
  ],
  ['thinking and words in one', `${says('Hi', { thinking: 'Hm' })}${finish()}`, { text: 'Hi', reasoning: 'Hm', stop: 'end_turn' }],
  [
    'calls in several lines',
    `${says('', { tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] })}${says('', { tool_calls: [{ function: { name: 'g', arguments: {} } }] })}${finish()}`,
    {
      calls: [
        ['f', { x: 1 }],
        ['g', {}],
      ],
      stop: 'tool_use',
    },
  ],
  [
    'arguments as a text',
    `${says('', { tool_calls: [{ function: { name: 'f', arguments: '{"x":1}' } }] })}${finish()}`,
    { calls: [['f', { x: 1 }]], stop: 'tool_use' },
  ],
  [
    'a call in the last line',
    line({ content: '', tool_calls: [{ function: { name: 'f', arguments: {} } }] }, { done: true }),
    { calls: [['f', {}]], stop: 'tool_use' },
  ],
  ['a model that was only loaded', line({ content: '' }, { done: true, done_reason: 'load' }), { stop: 'other' }],
  ['message null, and nothing at all', `${line(null)}{"model":"m"}\n${says('Hi')}${finish()}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'an error in the middle',
    `${says('Hi')}{"error":"unexpected EOF, server overloaded"}\n`,
    { text: 'Hi', error: ['overloaded', /unexpected EOF/] },
  ],
  [
    'an error behind the name of the model',
    `${says('Hi')}{"model":"m","error":"model runner has unexpectedly stopped, try again"}\n`,
    { text: 'Hi', error: ['overloaded', /unexpectedly stopped/] },
  ],
  ['an error without a newline', `${says('Hi')}{"error":"out of memory"}`, { text: 'Hi', error: ['bad_stream', /out of memory/] }],
  [
    'the word error in what it says',
    `${says('{"error":"no"}')}${says('', { tool_calls: [{ function: { name: 'f', arguments: { error: 'x' } } }] })}${finish()}`,
    { text: '{"error":"no"}', calls: [['f', { error: 'x' }]], stop: 'tool_use' },
  ],
  ['plain words of a proxy', `${says('Hi')}upstream connect error\n`, { text: 'Hi', error: ['bad_stream'] }],
  ['a line that is cut off', `${says('Hi')}${says('more').slice(0, 30)}`, { text: 'Hi', error: ['bad_stream'] }],
  ['events instead of lines', `data: ${says('Hi')}\n`, { error: ['bad_stream'] }],
  ['no reason but null or an empty one', `${says('Hi')}${finish({ done_reason: null })}`, { text: 'Hi', stop: 'end_turn' }],
  [
    'a call that is null, and two with one id',
    `${says('', { tool_calls: [null, { id: 'call_1', function: { name: 'f', arguments: null } }] })}${says('', { tool_calls: [{ function: { name: 'g' } }, { id: 'call_1', function: { name: 'h', arguments: '' } }] })}${finish()}`,
    {
      calls: [
        ['f', {}],
        ['g', {}],
        ['h', {}],
      ],
      stop: 'tool_use',
    },
  ],
  ['no counts', `${says('Hi')}${finish({ done_reason: '' })}`, { text: 'Hi', stop: 'end_turn', usage: {} }],
];

const ALL: Record<string, Oddity[]> = {
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
  'anthropic-messages': ANTHROPIC,
  gemini: GEMINI,
  'ollama-chat': OLLAMA,
};

for (const [name, oddities] of Object.entries(ALL)) {
  const wire = WIRES[name];
  assert.ok(wire);
  describe(`unusual behavior of servers on the ${name} wire`, () => {
    for (const [what, body, expected] of oddities) {
      it(what, async () => {
        for (const chunking of CHUNKINGS.slice(0, 2)) {
          const server = await startReplayServer(Buffer.from(body), isJson(body) ? 'application/json' : wire.contentType, chunking);
          try {
            const adapter = (await wire.load()).createAdapter({ apiKey: 'sk-0123456789', baseUrl: server.url + wire.path });
            const events: ModelEvent[] = [];
            const request = { model: 'm', system: '', messages: [user('Hello.')], tools: [] };
            const error = await listen(adapter.stream(request, new AbortController().signal), events).then(
              () => undefined,
              (thrown: unknown) => thrown,
            );
            check(events, error, expected);
          } finally {
            await server.close();
          }
        }
      });
    }
  });
}

const isJson = (body: string | Buffer) => !body.includes('\n') && /^\[?\{"error"/.test(body.toString());

function check(events: readonly ModelEvent[], error: unknown, expected: Expected): void {
  const content = events.flatMap((event) => (event.type === 'part' ? [event.part] : []));
  const said = (type: 'text' | 'reasoning') => content.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = callsOf({ role: 'assistant', content, from: { provider: '', model: '' }, stop: 'other' });
  if (error !== undefined) {
    assert.ok(error instanceof ModelError && expected.error, `It failed: ${error}`);
    const [kind, message = /./] = expected.error;
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, message);
  } else assert.equal(expected.error, undefined, 'It did not fail.');
  assert.deepEqual(
    [said('text'), said('reasoning'), calls.map(({ name, input }) => [name, input])],
    [expected.text ?? '', expected.reasoning ?? '', expected.calls ?? []],
  );
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length, 'two calls have the same id');
  assert.equal(events.findLast((event) => event.type === 'stop')?.reason, expected.stop);
  if (expected.usage) {
    const used = events.findLast((event) => event.type === 'usage')?.usage;
    assert.deepEqual(JSON.parse(JSON.stringify(used ?? {})), expected.usage);
  }
}
