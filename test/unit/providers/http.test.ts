import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { asFetch, type Bytes } from '../../../src/providers/answer.ts';
import { send } from '../../../src/providers/http.ts';
import { type Served, served } from '../../support/served.ts';

/** Reads the rest of a body. */
async function textOf({ body }: { body: Bytes | undefined }): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = await body?.read(); bytes; bytes = await body?.read()) text += decoder.decode(bytes, { stream: true });
  return text;
}

describe('a request by node:http', () => {
  let server: Served | undefined;
  const serve = async (listener: RequestListener) => {
    server = await served(createServer(listener));
    return server.url;
  };
  afterEach(() => server?.close());

  it('sends the method, the headers and the body, and returns the response of any status', async () => {
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(418, { 'x-answer': ['one', 'two'] }).end(`${request.method} ${request.url} ${request.headers['x-key']} ${body}`);
    });
    const headers = new Headers({ 'X-Key': 'k' });
    const response = await send(`${url}/path?q=1`, { method: 'POST', headers, body: new TextEncoder().encode('größe') });
    assert.equal(response.status, 418);
    assert.equal(response.headers.get('x-answer'), 'one, two');
    assert.equal(await textOf(response), 'POST /path?q=1 k größe');
  });

  it('sends only the part of a buffer that is the body', async () => {
    const url = await serve((request, response) => request.pipe(response));
    const response = await send(url, { method: 'POST', body: new TextEncoder().encode('0123456789').subarray(2, 5) });
    assert.equal(await textOf(response), '234');
  });

  it('has no body where HTTP has none', async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    assert.equal((await send(url)).body, undefined);
    assert.equal((await asFetch(send)(url)).body, null);
  });

  it('decodes a compressed answer that nobody asked for', async () => {
    const url = await serve(({ url }, response) => {
      const encoding = url?.slice(1) ?? '';
      response.writeHead(200, { 'content-encoding': encoding }).end((encoding === 'br' ? brotliCompressSync : gzipSync)('packed'));
    });
    for (const encoding of ['gzip', 'br']) assert.equal(await textOf(await send(`${url}/${encoding}`)), 'packed');
  });

  it('is sent again when the server has closed the connection that was kept open', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      // The second request arrives on the connection of the first one.
      if (++requests === 2) request.socket.destroy();
      else response.end('here');
    });
    assert.equal(await textOf(await send(url)), 'here');
    assert.equal(await textOf(await send(url, { method: 'POST', body: 'again' })), 'here');
    assert.equal(requests, 3);
  });

  it('is not sent again when a connection that was kept open breaks within the answer', async () => {
    const requests: string[] = [];
    let breakOff = () => {};
    const url = await serve((request, response) => {
      requests.push(String(request.url));
      if (request.url !== '/half') return response.end('here');
      response.writeHead(200, { 'content-length': 100 });
      response.write('half');
      breakOff = () => request.socket.resetAndDestroy();
    });
    assert.equal(await textOf(await send(`${url}/first`)), 'here');
    const response = await send(`${url}/half`, { method: 'POST', body: 'paid for' });
    breakOff();
    await assert.rejects(textOf(response), /terminated/);
    // A request that had been sent again would have arrived before this one.
    assert.equal(await textOf(await send(`${url}/last`)), 'here');
    assert.deepEqual(requests, ['/first', '/half', '/last']);
  });

  it('fails once and not forever when a new connection is closed', async () => {
    let requests = 0;
    const url = await serve((request) => {
      requests++;
      request.socket.destroy();
    });
    await assert.rejects(send(url), (error: Error) => error instanceof TypeError && /socket hang up/.test(String(error.cause)));
    assert.equal(requests, 1);
  });

  it('fails when the connection is not made in time', async () => {
    const silent = createSocketServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      await assert.rejects(send(`https://127.0.0.1:${port}`, {}, 20), (error: Error) =>
        /no connection within 0.02 seconds/.test(String(error.cause)),
      );
    } finally {
      silent.close();
    }
  });

  it('fails when a proxy does not make the connection in time', async () => {
    const proxy = createServer().on('connect', (_, socket) => socket.on('error', () => undefined));
    const { url, close } = await served(proxy);
    const usual = https.globalAgent;
    const sockets = new Set<Socket>();
    proxy.on('connection', (socket) => sockets.add(socket));
    https.globalAgent = new https.Agent({ proxyEnv: { HTTPS_PROXY: url } } as https.AgentOptions);
    try {
      await assert.rejects(send('https://model.invalid', {}, 20), (error: Error) => /no connection within/.test(String(error.cause)));
    } finally {
      https.globalAgent = usual;
      for (const socket of sockets) socket.destroy();
      await close();
    }
  });

  it('ends with the reason of an abort, before the answer and within it', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/begun') response.write('begun');
    });
    const reason = new Error('enough');
    const waiting = new AbortController();
    const silent = send(url, { signal: waiting.signal });
    waiting.abort(reason);
    await assert.rejects(silent, reason);
    const reading = new AbortController();
    const { body } = await send(`${url}/begun`, { signal: reading.signal });
    assert.equal(new TextDecoder().decode(await body?.read()), 'begun');
    reading.abort(reason);
    await assert.rejects(body?.read() ?? Promise.resolve(), reason);
  });

  it('does not take an answer that was cut off for a whole one', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    await assert.rejects(textOf(await send(url)), /terminated/);
  });

  it('takes from the server only as much as is read', async () => {
    const chunks = 64;
    let sent = 0;
    const url = await serve(({ url }, response) => {
      if (url === '/sent') return response.end(String(sent));
      const more = () => {
        while (sent < chunks) {
          sent++;
          if (!response.write(Buffer.alloc(2 ** 20))) return response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const response = await asFetch(send)(url);
    // During these requests a server that is not held back sends all of it.
    for (let round = 0; round < 50; round++) assert.ok(Number(await textOf(await send(`${url}/sent`))) < chunks);
    assert.equal((await response.arrayBuffer()).byteLength, chunks * 2 ** 20);
  });
});
