import assert from 'node:assert/strict';
import { request } from 'node:http';
import { HostProxy } from '../../../../../src/hosts/node/browser/host-proxy.ts';
import { type PageServer, servePages } from '../../../../support/browser-pages.ts';

describe('the proxy of the browser', () => {
  let server: PageServer;
  let proxy: HostProxy;
  let address: URL;
  const names: Record<string, string> = { 'rebound.example.com': '127.0.0.1', 'metadata.example.com': '169.254.169.254' };

  before(async () => {
    server = await servePages({ '/': 'here' });
  });
  after(() => server.close());
  beforeEach(async () => {
    server.asked.length = 0;
    proxy = new HostProxy(async (name) => [{ address: names[name] ?? '127.0.0.1', family: 4 }]);
    address = new URL(await proxy.listen());
  });
  afterEach(() => proxy.close());

  const get = (url: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port: address.port, path: url, headers: { host: new URL(url).host } }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });
  const tunnel = (target: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port: address.port, method: 'CONNECT', path: target })
        .on('connect', (response, socket) => {
          socket.destroy();
          resolve(response.statusCode);
        })
        .on('error', reject)
        .end();
    });

  it('does not let a public page reach the host of the own network that has its name without www', async () => {
    proxy.allow(new URL(server.at('/', 'www.wiki')), []);
    assert.equal(await get(server.at('/', 'wiki')), 403);
    assert.equal(await tunnel(`wiki:${server.port}`), 403);
    assert.deepEqual(server.asked, []);
  });

  it('connects to the host of the page, and to no other host and port', async () => {
    proxy.allow(new URL(server.at('/')), []);
    assert.equal(await get(server.at('/')), 200);
    assert.equal(await tunnel(server.host), 200);
    assert.equal(await get(server.at('/', '127.0.0.1')), 403);
    assert.equal(await tunnel(`127.0.0.1:${server.port}`), 403);
    assert.equal(await tunnel('localhost:1'), 403);
    assert.deepEqual([...proxy.refused], [`127.0.0.1:${server.port}`, 'localhost:1']);
  });

  it('refuses everything before a page is opened, and what is no address', async () => {
    assert.equal(await get(server.at('/')), 403);
    proxy.allow(new URL(server.at('/')), []);
    for (const target of ['localhost', ':80', `user@localhost:${server.port}`, `localhost:${server.port}/`, 'localhost:99999'])
      assert.equal((await tunnel(target).catch(() => 'refused')) === 200, false, target);
    assert.deepEqual(server.asked, []);
  });

  it('does not connect to a private address behind a public name', async () => {
    for (const name of Object.keys(names)) {
      proxy.allow(new URL(server.at('/', name)), []);
      assert.equal(await get(server.at('/', name)), 502);
      assert.equal(await tunnel(`${name}:${server.port}`), 502);
    }
    assert.deepEqual(server.asked, []);
  });

  it('allows an encrypted connection to the same host, but not the other way round', async () => {
    const isRefused = async (page: string, target: string) => {
      proxy.allow(new URL(page), []);
      return (await tunnel(target)) === 403;
    };
    assert.equal(await isRefused('http://docs.example.com/', 'docs.example.com:443'), false);
    assert.equal(await isRefused('http://docs.example.com/', 'www.docs.example.com:443'), false);
    assert.equal(await isRefused('https://docs.example.com/', 'docs.example.com:80'), true);
    assert.equal(await isRefused('https://docs.example.com/', 'evil.docs.example.com:443'), true);
  });
});
