import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { AssistantMessage, Message, StopReason } from '../../../../src/core/model/messages.ts';
import { callsOf, user } from '../../../../src/core/model/messages.ts';
import { ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../../../../src/core/model/model.ts';
import { createAdapter } from '../../../../src/providers/openai/index.ts';
import { withoutLongTimers } from '../../../support/clock.ts';
import { listen } from '../../../support/listen.ts';
import { type ResponsesServer, type ResponsesServerOptions, startResponsesServer } from '../../../support/responses-server.ts';
import { until } from '../../../support/until.ts';

const KEY = 'sk-secret-0123456789abcdef';
const MODEL = 'gpt-test';
const tools = [
  { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];
const ask = (messages: Message[] = [user('Hi')]): ModelRequest => ({
  model: MODEL,
  system: 'Be brief.',
  messages,
  tools,
  cacheKey: 'session-1',
});
const never = new AbortController().signal;

let server: ResponsesServer;
const start = async (options: ResponsesServerOptions) => {
  server = await startResponsesServer(options);
  return createAdapter({ apiKey: KEY, baseUrl: server.url });
};
afterEach(async () => {
  await server?.close();
});

async function collect(events: AsyncIterable<ModelEvent>): Promise<{ events: ModelEvent[]; message: AssistantMessage }> {
  const all = await listen(events);
  const content = all.flatMap((event) => (event.type === 'part' ? [event.part] : []));
  const stop: StopReason = all.flatMap((event) => (event.type === 'stop' ? [event.reason] : []))[0] ?? 'other';
  return { events: all, message: { role: 'assistant', content, from: { provider: 'openai', model: MODEL }, stop } };
}

async function failure(events: AsyncIterable<ModelEvent>): Promise<ModelError> {
  try {
    await listen(events);
  } catch (error) {
    assert.ok(error instanceof ModelError, inspect(error));
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(KEY), 'the error contains the key');
    return error;
  }
  throw new Error('It did not fail.');
}

describe('openai: a conversation over HTTP', () => {
  it('streams deltas, then complete parts, usage and the stop', async () => {
    const usage = { input: 100, output: 20, cached: 64, reasoning: 12 };
    const adapter = await start({
      turns: [{ reasoning: 'Hm, so.', text: 'I look.', calls: [{ name: 'read_file', input: { path: 'a' } }], usage }],
    });
    const { events, message } = await collect(adapter.stream(ask(), never));

    assert.deepEqual(
      message.content.map((part) => (part.type === 'tool_call' ? [part.name, part.input] : [part.type, part.text])),
      [
        ['reasoning', 'Hm, so.'],
        ['text', 'I look.'],
        ['read_file', { path: 'a' }],
      ],
    );
    const deltas = (type: ModelEvent['type']) => events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
    assert.equal(deltas('text_delta'), 'I look.');
    assert.equal(deltas('reasoning_delta'), 'Hm, so.');
    assert.equal(deltas('tool_input_delta'), '{"path":"a"}');
    assert.deepEqual(events.slice(-2), [
      { type: 'usage', usage },
      { type: 'stop', reason: 'tool_use' },
    ]);
  });

  it('extends the bytes of the previous request with each request', async () => {
    const adapter = await start({
      turns: [
        { reasoning: 'Hm.', calls: [{ name: 'read_file', input: { path: 'ä"\n' } }] },
        {
          text: 'And another.',
          calls: [
            { name: 'read_file', input: {} },
            { name: 'read_file', input: { path: 'b' } },
          ],
        },
        { text: 'Done.' },
      ],
    });
    const messages: Message[] = [user('Hi')];
    for (let turn = 0; turn < 3; turn++) {
      const { message } = await collect(adapter.stream(ask(messages), never));
      messages.push(message);
      const results = callsOf(message).map(({ id, name }) => ({
        type: 'tool_result' as const,
        callId: id,
        name,
        content: [{ type: 'text' as const, text: `${name} ✓` }],
      }));
      if (results.length > 0) messages.push({ role: 'tool', content: results });
    }

    const [first, second, third] = server.requests.map((request) => request.raw);
    assert.ok(first && second && third);
    for (const [before, after] of [
      [first, second],
      [second, third],
    ] as const) {
      assert.equal(before.subarray(-2).toString(), ']}');
      assert.ok(after.subarray(0, before.length - 2).equals(before.subarray(0, -2)), 'the beginning has changed');
    }
    const body = server.requests[1]?.body;
    assert.equal(Object.keys(body ?? {}).at(-1), 'input');
    assert.equal(body?.store, false);
    assert.equal(body?.prompt_cache_key, 'session-1');
    assert.deepEqual(
      body?.input.map((item) => item.type),
      ['message', 'reasoning', 'function_call', 'function_call_output'],
    );
    assert.match(JSON.stringify(body?.input[1]), /"encrypted_content":"encrypted_/);
    assert.ok(server.connections() < server.requests.length, 'no connection was used again');
  });

  it('reads nothing from the environment', async () => {
    const planted = {
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      OPENAI_API_KEY: 'sk-planted',
      OPENAI_ADMIN_KEY: 'sk-planted',
      OPENAI_ORG_ID: 'org-planted',
      OPENAI_PROJECT_ID: 'proj-planted',
      OPENAI_CUSTOM_HEADERS: 'x-planted: yes\nauthorization: Bearer planted',
      OPENAI_LOG: 'debug',
    };
    const before = Object.keys(planted).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, planted);
    try {
      const adapter = await start({ turns: [{ text: 'Hi.' }], apiKey: KEY });
      await collect(adapter.stream(ask(), never));
      assert.doesNotMatch(JSON.stringify(server.requests[0]?.headers), /planted/);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('sends no key if none is set, and the configured headers', async () => {
    server = await startResponsesServer({ turns: [{ text: 'Hi.' }] });
    await collect(createAdapter({ baseUrl: server.url, headers: { 'x-team': 'blue' } }).stream(ask(), never));
    assert.equal(server.requests[0]?.headers.authorization, undefined);
    assert.equal(server.requests[0]?.headers['x-team'], 'blue');
  });

  it('repeats a request without unsupported fields, and omits them from later requests', async () => {
    const fail = { status: 400, message: 'Encrypted content is not supported with this model.' };
    const adapter = await start({ turns: [{ fail }, { text: 'Hi.' }, { text: 'Again.' }] });
    await collect(adapter.stream(ask(), never));
    await collect(adapter.stream(ask(), never));
    assert.deepEqual(
      server.requests.map(({ body }) => 'include' in body),
      [true, false, false],
    );
  });
});

describe('openai: failures', () => {
  const kinds: [kind: ModelErrorKind, status: number, message: string, code?: string][] = [
    ['auth', 401, `Incorrect API key provided: ${KEY}.`, 'invalid_api_key'],
    ['auth', 403, 'Project `proj_1` may not use this.'],
    ['unknown_model', 404, 'The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'],
    ['unknown_model', 400, "The requested model 'gpt-9' does not exist."],
    ['no_credit', 429, 'You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota'],
    ['rate_limit', 429, 'Rate limit reached for gpt-test on tokens per min.', 'rate_limit_exceeded'],
    ['context_overflow', 400, 'Your input exceeds the context window of this model.', 'context_length_exceeded'],
    ['context_overflow', 413, 'Too large.'],
    ['invalid_request', 400, "Invalid type for 'input[0]'."],
    ['invalid_request', 404, 'Not found.'],
    ['overloaded', 500, 'The server had an error.'],
    ['overloaded', 503, '<html><title>503 Service Unavailable</title></html>'],
    ['overloaded', 409, 'Conflict.'],
    ['overloaded', 408, 'Request timeout.'],
  ];
  for (const [kind, status, message, code] of kinds) {
    it(`${status} ${code ?? message} is ${kind}`, async () => {
      const adapter = await start({ turns: [{ fail: { status, message, ...(code ? { code } : {}) } }] });
      const error = await failure(adapter.stream(ask(), never));
      assert.equal(error.kind, kind);
      assert.match(error.message, /^OpenAI \(127\.0\.0\.1:\d+\) [^\n<]+: [^\n]+\.$/);
      assert.equal(server.requests.length, 1, 'the SDK must not try again');
    });
  }

  it('removes the key from messages in every form', async () => {
    const apiKey = 'sk-a+b/c="d"-0123';
    server = await startResponsesServer({
      turns: [{ fail: { status: 400, message: `${apiKey} ${encodeURIComponent(apiKey)} ${JSON.stringify({ apiKey })}` } }],
    });
    const error = await failure(createAdapter({ apiKey, baseUrl: server.url }).stream(ask(), never));
    assert.match(error.message, /\(\*\*\* \*\*\* \{"apiKey":"\*\*\*"\}\)/);
  });

  it('does not show a key that is invalid in a header', async () => {
    server = await startResponsesServer({ turns: [] });
    const apiKey = 'sk-secret\u{1F511}0123456789';
    const error = await failure(createAdapter({ apiKey, baseUrl: server.url }).stream(ask(), never));
    assert.ok(!error.message.includes('sk-secret'));
  });

  it('passes on the wait that the server requests', async () => {
    const fail = { status: 429, message: 'Slow down.' };
    const adapter = await start({
      turns: [
        { fail: { ...fail, headers: { 'retry-after': '7' } } },
        { fail: { ...fail, headers: { 'retry-after-ms': '250' } } },
        { fail },
      ],
    });
    const waits = [];
    for (let turn = 0; turn < 3; turn++) waits.push((await failure(adapter.stream(ask(), never))).retryAfterMs);
    assert.deepEqual(waits, [7000, 250, undefined]);
  });

  it('requests a key if none is set', async () => {
    const error = await failure(createAdapter({}).stream(ask(), never));
    assert.equal(error.kind, 'auth');
    assert.match(error.message, /no API key for OpenAI: enter a key/);
  });

  it('rejects an invalid base URL', async () => {
    const error = await failure(createAdapter({ apiKey: KEY, baseUrl: 'localhost:8080' }).stream(ask(), never));
    assert.equal(error.kind, 'invalid_request');
  });

  it('names the reason if no server answers', async () => {
    const { url, close } = await startResponsesServer({ turns: [] });
    await close();
    const error = await failure(createAdapter({ apiKey: KEY, baseUrl: url }).stream(ask(), never));
    assert.equal(error.kind, 'network');
    assert.match(error.message, /could not be reached \(.*ECONNREFUSED.*\): start the server, or correct the base URL\.$/);
  });

  it('calls a dropped connection a network failure', async () => {
    const dropping = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"response.created"}\n\n', () => setTimeout(() => response.destroy(), 20));
    });
    await new Promise<void>((resolve) => dropping.listen(0, resolve));
    const baseUrl = `http://127.0.0.1:${(dropping.address() as AddressInfo).port}/v1`;
    const error = await failure(createAdapter({ apiKey: KEY, baseUrl }).stream(ask(), never));
    assert.equal(error.kind, 'network');
    dropping.close();
  });

  it('calls an event that is not JSON a bad stream', async () => {
    const garbled = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"type":\n\n');
    });
    await new Promise<void>((resolve) => garbled.listen(0, resolve));
    const baseUrl = `http://127.0.0.1:${(garbled.address() as AddressInfo).port}/v1`;
    assert.equal((await failure(createAdapter({ apiKey: KEY, baseUrl }).stream(ask(), never))).kind, 'bad_stream');
    garbled.close();
  });
});

describe('openai: abort', () => {
  for (const hang of ['before', 'midway'] as const) {
    it(`closes the connection of a request that hangs ${hang === 'before' ? 'before its first byte' : 'in the middle'}`, async () => {
      const adapter = await start({ turns: [{ text: 'One two' }], hang });
      const controller = new AbortController();
      const seen: ModelEvent[] = [];
      const abort = () => controller.abort();
      if (hang === 'before') void until('the request', () => server.requests.length > 0).then(abort);
      const run = async () => {
        for await (const event of adapter.stream(ask(), controller.signal)) {
          seen.push(event);
          if (event.type === 'part') setTimeout(abort, 10);
        }
      };
      await withoutLongTimers(async () => {
        await assert.rejects(run(), { name: 'AbortError' });
        assert.ok(server.requests[0]);
        await server.requests[0].closed;
      });
      assert.equal(seen.length > 0, hang === 'midway');
    });
  }

  it('closes the connection when the consumer stops', async () => {
    const adapter = await start({ turns: [{ text: 'One two' }], hang: 'midway' });
    for await (const event of adapter.stream(ask(), never)) if (event.type === 'part') break;
    assert.notEqual(await server.requests[0]?.closed, undefined);
  });

  it('sends nothing if it was already aborted', async () => {
    const adapter = await start({ turns: [{ text: 'Hi.' }] });
    await assert.rejects(listen(adapter.stream(ask(), AbortSignal.abort())), { name: 'AbortError' });
    assert.equal(server.requests.length, 0);
  });
});
