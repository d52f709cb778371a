import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PageFetcher } from '../../src/hosts/node/fetch/fetch.ts';

const never = new AbortController().signal;

/** The editor adds its own proxy support to Node's requests. Even so, the connection must go to the address that was checked. */
describe('pages in the editor', () => {
  let server: Server;
  let port: number;
  let asked = 0;

  before(async () => {
    server = createServer((_, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Here</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  it('are fetched from the address that was checked', async () => {
    const fetcher = new PageFetcher({ isPrivate: () => false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const page = await fetcher.get(new URL(`http://site.example:${port}/`), { privateAllowed: false }, never);
    assert.equal(page.text, '# Here');
  });

  it('are not fetched from a private address without approval', async () => {
    const before = asked;
    const fetcher = new PageFetcher({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    await assert.rejects(
      fetcher.get(new URL(`http://site.example:${port}/`), { privateAllowed: false }, never),
      /private address 127.0.0.1/,
    );
    await assert.rejects(fetcher.get(new URL(`http://127.0.0.1:${port}/`), { privateAllowed: false }, never), /private address 127.0.0.1/);
    assert.equal(asked, before);
  });
});
