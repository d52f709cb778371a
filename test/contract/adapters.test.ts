import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type AssistantMessage, callsOf, type Message, type ModelRef, type ToolMessage, user } from '../../src/core/model/messages.ts';
import { type ModelAdapter, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../../src/core/model/model.ts';
import type { ProviderConfig } from '../../src/providers/types.ts';
import { withoutLongTimers } from '../support/clock.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { startWireServer, type WireAnswer, type WireServer } from '../support/wire-server.ts';
import { WIRES, type Wire } from '../support/wires.ts';

const KEY = 'sk-secret-0123456789abcdef';
const MODEL = 'test-model';
const never = new AbortController().signal;
const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];

const ask = (messages: readonly Message[] = [user('Hello.')]): ModelRequest => ({
  model: MODEL,
  system: 'Be brief.',
  messages,
  tools,
  cacheKey: 'session-1',
});

/** Environment variables that the SDKs would read if their options were not set explicitly. */
const PLANTED = Object.fromEntries(
  [
    ...['BASE_URL', 'API_KEY', 'ADMIN_KEY', 'ORG_ID', 'PROJECT_ID', 'LOG', 'CUSTOM_HEADERS'].map((name) => `OPENAI_${name}`),
    ...['BASE_URL', 'API_KEY', 'AUTH_TOKEN', 'LOG', 'CUSTOM_HEADERS', 'PROFILE', 'IDENTITY_TOKEN'].map((name) => `ANTHROPIC_${name}`),
    ...['GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENAI_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GEMINI_BASE_URL'],
    ...['OLLAMA_HOST', 'OLLAMA_API_KEY'],
  ].map((name) => [name, name.endsWith('CUSTOM_HEADERS') ? 'x-planted: planted' : 'http://planted.invalid']),
);

for (const [wireName, wire] of Object.entries(WIRES)) describe(`the ${wireName} adapter`, () => describeAdapter(wireName, wire));

function describeAdapter(wireName: string, wire: Wire): void {
  const from: ModelRef = { provider: wire.provider, model: MODEL };
  const recording = readFileSync(
    join(import.meta.dirname, '../fixtures/recordings', wireName, 'reasoning-text-and-a-call', wire.file),
    'utf8',
  );
  const events = recording.split(wire.file.endsWith('.sse') ? /(?<=\n\r?\n)/ : /(?<=\n)/);
  /** The events up to the first words of the text. */
  const unfinished = events.slice(0, events.findIndex((event) => event.includes('I read ')) + 1).join('');

  let server: WireServer | undefined;
  const start = async (answers: readonly (WireAnswer | 'silence')[], config: ProviderConfig = { apiKey: KEY }): Promise<ModelAdapter> => {
    server = await startWireServer(answers, wire.contentType);
    const { createAdapter } = await wire.load();
    return createAdapter({ ...config, baseUrl: server.url + wire.path });
  };
  const sent = () => server?.requests ?? [];
  const first = () => {
    const [request] = sent();
    assert.ok(request);
    return request;
  };
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function answerOf(adapter: ModelAdapter, request = ask()): Promise<AssistantMessage> {
    const events = await listen(adapter.stream(request, never));
    const content = events.flatMap((event) => (event.type === 'part' ? [event.part] : []));
    return {
      role: 'assistant',
      content,
      from,
      stop: events.flatMap((event) => (event.type === 'stop' ? [event.reason] : []))[0] ?? 'other',
    };
  }

  async function failure(events: AsyncIterable<ModelEvent>): Promise<ModelError> {
    const error = await listen(events).then(
      () => assert.fail('It did not fail.'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ModelError, inspect(error));
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(KEY), 'the error contains the key');
    assert.match(error.message, /^[^\n]+: [^\n]+\.$/);
    return error;
  }

  it('streams the same text as in its complete parts', async () => {
    const events = await listen((await start([{ body: recording }])).stream(ask(), never));
    for (const [part, delta] of [
      ['text', 'text_delta'],
      ['reasoning', 'reasoning_delta'],
    ] as const) {
      const said = events.map((event) => (event.type === 'part' && event.part.type === part ? event.part.text : '')).join('');
      assert.equal(events.map((event) => (event.type === delta ? event.text : '')).join(''), said);
      assert.notEqual(said, '');
    }
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_input_delta' ? [event.text] : [])).join(''),
      '{"path":"src/größe.ts"}',
    );
    assert.equal(events.at(-2)?.type, 'usage');
  });

  it('extends each request by the next, and changes nothing else', async () => {
    const adapter = await start([{ body: recording }]);
    const messages: Message[] = [user('Hello.')];
    for (let turn = 0; turn < 3; turn++) {
      const answer = await answerOf(adapter, ask(messages));
      // The core assigns every call of a session a unique id.
      answer.content = answer.content.map((part) => (part.type === 'tool_call' ? { ...part, id: `${part.id}_${turn}` } : part));
      const [call] = callsOf(answer);
      assert.ok(call);
      const content: ToolMessage['content'] = [
        { type: 'tool_result', callId: call.id, name: call.name, content: [{ type: 'text', text: 'Ok.' }] },
      ];
      messages.push(answer, { role: 'tool', content });
    }

    for (const [index, { raw }] of sent().entries()) {
      const { [wire.messages]: list, ...rest } = JSON.parse(raw.toString());
      const previous = sent()[index - 1];
      if (!previous) continue;
      const { [wire.messages]: before, ...same } = JSON.parse(previous.raw.toString());
      assert.deepEqual(rest, same);
      assert.ok(list.length > before.length);
      assert.deepEqual(list.slice(0, before.length), before);
      // Gemini's SDK determines the order of fields; the beginning of the conversation is still the same.
      if (wire.provider === 'gemini') continue;
      assert.equal(previous.raw.subarray(-2).toString(), ']}');
      assert.ok(raw.subarray(0, previous.raw.length - 2).equals(previous.raw.subarray(0, -2)), 'the beginning has changed');
    }
  });

  if (recording.includes('token-of-the-model')) {
    it('returns replay tokens to the model that created them, and to no other model', async () => {
      const adapter = await start([{ body: recording }]);
      const answer = await answerOf(adapter);
      const others: ModelRef[] = [
        { provider: wire.provider, model: 'another-model' },
        { provider: 'another', model: MODEL },
      ];
      for (const ref of [from, ...others]) await answerOf(adapter, ask([user('Hello.'), { ...answer, from: ref }, user('Go on.')]));
      assert.deepEqual(
        sent().map(({ raw }) => raw.includes('token-of-the-model')),
        [false, true, false, false],
      );
      assert.ok(sent().at(-1)?.raw.includes('I read src/größe.ts.'), 'the words go to every model');
    });
  }

  it('sends a malformed call as an object', async () => {
    const adapter = await start([{ body: recording }]);
    const call = { type: 'tool_call' as const, id: 'call_1', name: 'read_file', malformed: '{"path": "a' };
    const result = { type: 'tool_result' as const, callId: 'call_1', name: 'read_file', content: [], isError: true };
    const broken: Message = { role: 'assistant', content: [call], from, stop: 'tool_use' };
    await answerOf(adapter, ask([user('Hello.'), broken, { role: 'tool', content: [result] }]));
    const body = JSON.parse(sent()[0]?.raw.toString() ?? '');
    const [made] = findAll(body[wire.messages], ['arguments', 'input', 'args']);
    const parsed = typeof made === 'string' ? JSON.parse(made) : made;
    assert.deepEqual(parsed, { malformed_arguments: '{"path": "a' });
  });

  it('reads nothing from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, PLANTED);
    try {
      await answerOf(await start([{ body: recording }], {}));
      await server?.close();
      await answerOf(await start([{ body: recording }]));
      const [request] = sent();
      assert.doesNotMatch(JSON.stringify(request?.headers) + request?.path, /planted/);
      assert.ok(JSON.stringify(request?.headers).includes(KEY));
    } finally {
      for (const name of Object.keys(PLANTED)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  it('sends the configured headers', async () => {
    await answerOf(await start([{ body: recording }], { apiKey: KEY, headers: { 'x-team': 'blue' } }));
    assert.equal(sent()[0]?.headers['x-team'], 'blue');
  });

  it('prints nothing', async () => {
    const printed: unknown[] = [];
    const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;
    const real = methods.map((name) => [name, console[name]] as const);
    for (const name of methods) console[name] = (...words) => void printed.push(words);
    try {
      const adapter = await start([{ body: recording }, { body: unfinished }, { body: '{"what": \n\n' }, { status: 500, body: 'No.' }]);
      await answerOf(adapter);
      for (let turn = 0; turn < 3; turn++) await failure(adapter.stream(ask(), never));
    } finally {
      for (const [name, method] of real) console[name] = method;
    }
    assert.deepEqual(printed, []);
  });

  const failures: [kind: ModelErrorKind, status: number, message: string, type: string][] = [
    ['auth', 401, `The key ${KEY} is not valid.`, 'authentication_error'],
    ['auth', 403, 'You may not use this.', 'permission_error'],
    ['unknown_model', 404, "model 'test-model' not found", 'not_found_error'],
    ['context_overflow', 400, 'prompt is too long: 210000 tokens > 200000 maximum', 'invalid_request_error'],
    ['no_credit', 402, 'Your credit balance is too low.', 'billing_error'],
    ['rate_limit', 429, 'Slow down.', 'rate_limit_error'],
    ['invalid_request', 400, 'temperature: Extra inputs are not permitted', 'invalid_request_error'],
    ['overloaded', 500, 'It broke.', 'api_error'],
    ['overloaded', 503, 'Overloaded', 'overloaded_error'],
  ];
  for (const [kind, status, message, type] of failures) {
    it(`reports ${status} ${type} as ${kind}, and does not retry`, async () => {
      const headers = { 'retry-after': '7' };
      const adapter = await start([{ status, headers, body: JSON.stringify(wire.error(message, type)) }]);
      const error = await failure(adapter.stream(ask(), never));
      assert.equal(error.kind, kind);
      assert.equal(error.retryAfterMs, 7000);
      assert.ok(error.message.includes(`(${message.replace(KEY, '***').replace(/\.$/, '')})`), error.message);
      assert.equal(sent().length, 1);
    });
  }

  it('reports an HTML page as an overloaded service, and does not show the page', async () => {
    const adapter = await start([
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><title>Bad Gateway</title></html>' },
    ]);
    const error = await failure(adapter.stream(ask(), never));
    assert.equal(error.kind, 'overloaded');
    assert.ok(!error.message.includes('<'), error.message);
  });

  it('reports a dropped connection as a network failure', async () => {
    const adapter = await start([{ body: unfinished, after: 'drop' }]);
    assert.equal((await failure(adapter.stream(ask(), never))).kind, 'network');
  });

  it('reports a refused connection as a network failure', async () => {
    const adapter = await start([]);
    await server?.close();
    const error = await failure(adapter.stream(ask(), never));
    assert.equal(error.kind, 'network');
    assert.match(error.message, /ECONNREFUSED/);
  });

  for (const [title, body] of [
    ['that ends before its closing event', unfinished],
    ['that is empty', ''],
    ['that is not a stream', '<html>Hello</html>\n'],
  ] as const) {
    it(`reports a stream ${title} as a bad stream`, async () => {
      const adapter = await start([{ body }]);
      assert.equal((await failure(adapter.stream(ask(), never))).kind, 'bad_stream');
    });
  }

  for (const answer of ['silence', { body: unfinished, after: 'hang' }] as const) {
    it(`closes its connection when it is aborted ${answer === 'silence' ? 'before the first byte' : 'in the middle'}`, async () => {
      const adapter = await start([answer]);
      const controller = new AbortController();
      const isMidway = (events: ModelEvent[]) => answer === 'silence' || events.length > 0;
      const seen: ModelEvent[] = [];
      void until('the request', () => sent().length > 0 && isMidway(seen)).then(() => controller.abort());
      await withoutLongTimers(async () => {
        await assert.rejects(listen(adapter.stream(ask(), controller.signal), seen), { name: 'AbortError' });
        await first().closed;
      });
    });
  }

  it('closes its connection when the consumer stops reading', async () => {
    const adapter = await start([{ body: unfinished, after: 'hang' }]);
    for await (const event of adapter.stream(ask(), never)) if (event.type === 'text_delta') break;
    await first().closed;
  });

  it('does not wait for a server that keeps the connection of a complete answer open', async () => {
    // For APIs that send the token count after the last text, only the end of the stream ends the answer.
    const closing = ['openai', 'anthropic', 'ollama'].includes(wire.provider);
    if (!closing) return;
    const adapter = await start([{ body: recording, after: 'hang' }]);
    assert.equal((await withoutLongTimers(() => answerOf(adapter))).stop, 'tool_use');
    await first().closed;
  });

  it('sends nothing if it was already aborted', async () => {
    const adapter = await start([{ body: recording }]);
    await assert.rejects(listen(adapter.stream(ask(), AbortSignal.abort())), { name: 'AbortError' });
    assert.equal(sent().length, 0);
  });
}

function findAll(value: unknown, names: readonly string[]): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => (names.includes(name) ? [inner] : findAll(inner, names)));
}
