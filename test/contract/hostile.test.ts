import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { user } from '../../src/core/model/messages.ts';
import { ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../../src/core/model/model.ts';
import { withRetry } from '../../src/providers/retry.ts';
import { listen } from '../support/listen.ts';
import { type Served, served } from '../support/served.ts';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES, type Wire } from '../support/wires.ts';

const never = new AbortController().signal;
const request: ModelRequest = { model: 'm', system: '', messages: [user('Hello.')], tools: [] };
/** This size is above all limits. */
const ENOUGH = 128 * 2 ** 20;
const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));

let open: Served | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Starts a server that counts the requests for an answer. Ollama's requests about its models get a 404 response. */
async function serve(answer: RequestListener): Promise<{ url: string; asked(): number }> {
  let asked = 0;
  open = await served(
    createServer(async (incoming, response) => {
      for await (const _ of incoming);
      if (incoming.url === '/api/show') return response.writeHead(404).end('{}');
      asked++;
      answer(incoming, response);
    }),
  );
  return { url: open.url, asked: () => asked };
}

/**
 * Sends the same piece repeatedly until the client stops reading.
 * @returns a handler that counts the sent bytes
 */
function pour(piece: string, bytes = { sent: 0 }, head = ''): (response: ServerResponse) => void {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  return (response) => {
    if (head) response.write(head);
    const more = () => {
      while (bytes.sent < ENOUGH && !response.destroyed) {
        bytes.sent += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
}

async function failure(events: AsyncIterable<ModelEvent>): Promise<ModelError> {
  const error = await listen(events).then(
    () => assert.fail('It did not fail.'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ModelError, inspect(error));
  assert.match(error.message, /^[^\n]+: [^\n]+\.$/);
  return error;
}

for (const [name, wire] of Object.entries(WIRES))
  describe(`the ${name} adapter with a misbehaving server`, () => describeWire(name, wire, false));
// The code that sends requests is the same for all wires.
describe('an adapter with fetch and a misbehaving server', () => describeWire('openai-chat', WIRES['openai-chat'] as Wire, true));

function describeWire(name: string, wire: Wire, usesFetch: boolean): void {
  const adapterAt = async (url: string, silenceMs?: number) =>
    (await wire.load()).createAdapter({ apiKey: 'none-0123456789', baseUrl: url + wire.path, usesFetch, ...(silenceMs && { silenceMs }) });
  const isSse = wire.file.endsWith('.sse');
  const type = { 'content-type': wire.contentType };
  const json = { 'content-type': 'application/json' };

  const endless: [title: string, status: number, headers: Record<string, string>, piece: string, head?: string][] = [
    ['a line', 200, type, 'y', isSse ? 'data: {"a": "' : '{"message": "'],
    ['a line without a known beginning', 200, type, 'y'],
    ['an answer in one piece', 200, json, 'y', '{"a": "'],
    ...(isSse
      ? ([
          ['an event with many lines', 200, type, `data: {"a": "${'1'.repeat(900)}"}\n`],
          ['comments in an event', 200, type, `: ${'on '.repeat(300)}\n`, 'event: x\n'],
          ['lines outside an event', 200, type, `{"a": "${'1'.repeat(900)}"},\n`],
        ] as [string, number, Record<string, string>, string, string?][])
      : []),
  ];
  for (const [title, status, headers, piece, head] of endless) {
    it(`cuts off an answer that never ends: ${title}`, async () => {
      const bytes = { sent: 0 };
      const { url } = await serve((_, response) => pour(piece, bytes, head)(response.writeHead(status, headers)));
      const error = await failure((await adapterAt(url)).stream(request, never));
      assert.equal(error.kind, 'bad_stream', error.message);
      assert.ok(bytes.sent < ENOUGH, `${bytes.sent} bytes were read`);
    });
  }

  it('cuts off an endless error, and reports its beginning', async () => {
    const bytes = { sent: 0 };
    const { url } = await serve((_, response) =>
      pour('No. ', bytes, 'Broken. ')(response.writeHead(500, { 'content-type': 'text/plain' })),
    );
    const error = await failure((await adapterAt(url)).stream(request, never));
    assert.equal(error.kind, 'overloaded');
    assert.match(error.message, /Broken/);
    assert.ok(bytes.sent < ENOUGH / 4, `${bytes.sent} bytes were read`);
  });

  const silences: [string, (response: ServerResponse) => void][] = [
    ['before it answers', () => undefined],
    ['behind its headers', (response) => response.writeHead(200, type).flushHeaders()],
    [
      'in the middle of an answer',
      (response) => response.writeHead(200, type).write(TEXT_BODIES[name]?.(['Hello']).split(/(?<=Hello.*\n)/)[0]),
    ],
    ['in an error', (response) => response.writeHead(500, json).write('{"error": ')],
  ];
  for (const [when, answer] of silences) {
    it(`gives up on a server that is silent ${when}`, async () => {
      const { url } = await serve((_, response) => answer(response));
      const error = await failure((await adapterAt(url, 150)).stream(request, never));
      assert.equal(error.kind, 'timeout', error.message);
    });
  }

  it('reads an error that arrives slowly to its end', async () => {
    const { url } = await serve(async (_, response) => {
      response.writeHead(500, json).write('{"error": {"message": "');
      for (const word of ['The ', 'tide ', 'is ', 'out', ' ', 'now.']) {
        await delay(500);
        response.write(word);
      }
      response.end('"}}');
    });
    const error = await failure((await adapterAt(url, 2_500)).stream(request, never));
    assert.equal(error.kind, 'overloaded', error.message);
    assert.match(error.message, /The tide is out now/);
  });

  it('waits as long as the server sends anything, even only comments', async () => {
    const body = TEXT_BODIES[name]?.(['Hello', ' there']) ?? '';
    const { url } = await serve((_, response) => {
      response.writeHead(200, type);
      let left = 12;
      const timer = setInterval(() => {
        if (left-- > 0) return void response.write(isSse ? ': wait\n\n' : '\n');
        clearInterval(timer);
        response.end(body);
      }, 200);
    });
    const events = await listen((await adapterAt(url, 2_000)).stream(request, never));
    assert.equal(events.map((event) => (event.type === 'text_delta' ? event.text : '')).join(''), 'Hello there');
  });

  it('can be read at any speed', async () => {
    const { url } = await serve((_, response) => response.writeHead(200, type).end(TEXT_BODIES[name]?.(['Hello', ' there'])));
    let said = '';
    for await (const event of (await adapterAt(url, 1_500)).stream(request, never)) {
      if (event.type !== 'text_delta') continue;
      if (said === '') await delay(2_000);
      said += event.text;
    }
    assert.equal(said, 'Hello there');
  });

  /** Sends a request with the same retry policy as in a run, and checks that it fails. */
  async function lasting(url: string, kind: ModelErrorKind, says: RegExp): Promise<void> {
    const waits: number[] = [];
    const adapter = withRetry(await adapterAt(url), { sleep: async (ms) => void waits.push(ms) });
    const error = await failure(adapter.stream(request, never));
    assert.deepEqual([error.kind, waits], [kind, []], error.message);
    assert.match(error.message, says);
  }

  it('does not retry after an untrusted certificate', async () => {
    open = await served(createTlsServer({ key: fixture('key.pem'), cert: fixture('cert.pem') }, (_, response) => response.end()));
    await lasting(open.url.replace('http:', 'https:'), 'network', /certificate .*: .*NODE_EXTRA_CA_CERTS/);
  });

  it('does not retry if an https address does not use TLS', async () => {
    const { url } = await serve((_, response) => response.end());
    await lasting(url.replace('http:', 'https:'), 'network', /http:\/\/ instead of https:\/\//);
  });

  it('does not retry after a circular redirect', async () => {
    const { url } = await serve((incoming: IncomingMessage, response) => response.writeHead(307, { location: incoming.url ?? '/' }).end());
    await lasting(url, 'network', /redirects endlessly.*: correct the base URL/);
  });

  it('does not retry after a redirect to something that is not a web address', async () => {
    const { url } = await serve((_, response) => response.writeHead(307, { location: 'ftp://127.0.0.1/' }).end());
    await lasting(url, 'network', /not http.*: correct the base URL/);
  });

  it('does not retry if the server uses another protocol', async () => {
    const sockets = createSocketServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.6\r\n'));
    await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
    try {
      await lasting(`http://127.0.0.1:${(sockets.address() as AddressInfo).port}`, 'network', /did not answer with valid HTTP/);
    } finally {
      sockets.close();
    }
  });

  it('does not retry after an answer that cannot be decompressed', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(TEXT_BODIES[name]?.(['Hello'])),
    );
    await lasting(url, 'bad_stream', /cannot be decompressed.*content-encoding/);
  });
}
