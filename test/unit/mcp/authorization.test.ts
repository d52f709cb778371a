import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Authorization, fetchFor } from '../../../src/mcp/client/authorization.ts';
import { connect } from '../../../src/mcp/client/index.ts';
import type { SignIn } from '../../../src/mcp/types.ts';

const { signal } = new AbortController();
const SERVICE = { url: 'https://tools.example/mcp' };

function signInWith(answer: (address: URL) => Record<string, string>, secrets = new Map<string, string>()): SignIn & { asked: URL[] } {
  const asked: URL[] = [];
  return {
    asked,
    load: async (key) => secrets.get(key),
    save: async (key, secret) => void secrets.set(key, secret),
    exclusively: (_key, work) => work(),
    redirectUrl: async (wanted) => wanted ?? 'http://127.0.0.1:40000/callback',
    async authorize(_server, address) {
      asked.push(address);
      return new URLSearchParams(answer(address));
    },
  };
}

describe('the sign-in to an MCP server', () => {
  it('accepts only an answer that belongs to its request', async () => {
    const forged = await Authorization.open(
      'web',
      SERVICE,
      signInWith(() => ({ code: 'evil', state: 'other' })),
      { signal: () => signal },
    );
    forged.state();
    await assert.rejects(forged.redirectToAuthorization(new URL('https://login.example/')), /does not belong to this request/);
    assert.equal(forged.takeCode(), undefined);
    const refused = await Authorization.open(
      'web',
      SERVICE,
      signInWith(() => ({ error: 'access_denied' })),
      { signal: () => signal },
    );
    await assert.rejects(refused.redirectToAuthorization(new URL('https://login.example/')), /access_denied/);
  });

  it('gives its code once', async () => {
    let state = '';
    const own = await Authorization.open(
      'web',
      SERVICE,
      signInWith(() => ({ code: 'good', state })),
      { signal: () => signal },
    );
    state = own.state();
    await own.redirectToAuthorization(new URL('https://login.example/'));
    assert.deepEqual([own.takeCode(), own.takeCode()], ['good', undefined]);
  });

  it('never shows an address that is not secure', async () => {
    const signIn = signInWith(() => ({}));
    const own = await Authorization.open('web', SERVICE, signIn, { signal: () => signal });
    for (const address of ['http://login.example/', 'javascript:alert(1)', 'file:///etc/passwd', 'vscode://command'])
      await assert.rejects(own.redirectToAuthorization(new URL(address)), /not secure/);
    assert.deepEqual(signIn.asked, []);
  });

  it('stores tokens for one name and address, and forgets them when they are no longer valid', async () => {
    const secrets = new Map<string, string>();
    const open = (name: string, url: string) =>
      Authorization.open(
        name,
        { url },
        signInWith(() => ({}), secrets),
        { signal: () => signal },
      );
    const tokens = { access_token: 'secret', token_type: 'Bearer' };
    await (await open('web', SERVICE.url)).saveTokens(tokens);
    assert.deepEqual((await open('web', SERVICE.url)).tokens(), tokens);
    assert.equal((await open('web', 'https://moved.example/mcp')).tokens(), undefined);
    assert.equal((await open('other', SERVICE.url)).tokens(), undefined);
    await (await open('web', SERVICE.url)).invalidateCredentials('tokens');
    assert.equal((await open('web', SERVICE.url)).tokens(), undefined);
  });

  it('binds the client of the user to the authorization server that has accepted it', async () => {
    const secrets = new Map<string, string>();
    const open = (clientId: string) =>
      Authorization.open(
        'web',
        { ...SERVICE, oauth: { clientId, clientSecret: 'secret' } },
        signInWith(() => ({}), secrets),
        { signal: () => signal },
      );
    await (await open('mine')).saveClientInformation({ client_id: 'mine', client_secret: 'secret', issuer: 'https://login.example/' });
    await (await open('mine')).saveClientInformation({ client_id: 'registered elsewhere', issuer: 'https://evil.example/' });
    await (await open('mine')).invalidateCredentials('all');
    assert.equal((await open('mine')).clientInformation()?.issuer, 'https://login.example/');
    assert.equal((await open('changed')).clientInformation()?.issuer, undefined);
    assert.ok(![...secrets.values()].join('').includes('"secret"'), 'the secret is in the settings only');
  });

  it('sends nothing to an address that is not encrypted, or that is on this computer although the server is not', async () => {
    const own = fetchFor({ url: 'https://tools.example/mcp' });
    for (const address of ['http://login.example/token', 'http://127.0.0.1:1/register', 'http://tools.example/token'])
      await assert.rejects(async () => own(address), /not secure/);
  });

  for (const [answer, iss] of [
    ['accepts the answer of the authorization server that the server named', undefined],
    ['refuses the answer of another one, whose code the server wants', 'https://honest.example'],
  ] as const)
    it(`${answer}, and keeps the headers of the server from it`, async () => {
      const requests: string[] = [];
      const listen = async (respond: (request: IncomingMessage, body: string) => object | undefined) => {
        const server = createServer(async (request, response) => {
          const body = await text(request);
          requests.push(`${request.method} ${request.url} ${request.headers['x-key'] ?? 'without key'}`);
          const reply = respond(request, body);
          const challenge = { 'www-authenticate': `Bearer resource_metadata="${origins[0]}/resource"` };
          response.writeHead(reply ? 200 : 401, { 'content-type': 'application/json', ...(!reply && challenge) });
          response.end(JSON.stringify(reply));
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        return server;
      };
      const origins: string[] = [];
      const login = await listen(({ url }, body) =>
        url === '/resource'
          ? { resource: `${origins[1]}/mcp`, authorization_servers: [origins[0]] }
          : url === '/register'
            ? { ...(JSON.parse(body) as object), client_id: 'kedge' }
            : url === '/token'
              ? { access_token: 'access', token_type: 'Bearer' }
              : {
                  issuer: origins[0],
                  authorization_endpoint: 'https://honest.example/authorize',
                  token_endpoint: `${origins[0]}/token`,
                  registration_endpoint: `${origins[0]}/register`,
                  response_types_supported: ['code'],
                },
      );
      const tools = await listen(() => undefined);
      const signIn = signInWith((address) => ({
        code: 'code',
        state: address.searchParams.get('state') ?? '',
        iss: iss ?? `${origins[0]}`,
      }));
      const unused = () => undefined;
      const events = { onChanged: unused, onResourcesChanged: unused, onLog: unused, onClosed: unused };
      const config = { url: `${origins[1]}/mcp`, headers: { 'x-key': 'the key' } };
      try {
        const connecting = connect('web', config, events, () => Promise.reject(new Error('unused')), signal, signIn);
        await assert.rejects(connecting, iss ? /comes from https:\/\/honest\.example/ : /./);
        assert.equal(requests.includes('POST /token without key'), iss === undefined);
        assert.ok(requests.includes('POST /mcp the key'));
        assert.ok(
          requests.every((each) => / \/mcp /.test(each) || each.endsWith('without key')),
          requests.join('\n'),
        );
      } finally {
        for (const server of [login, tools]) server.close().closeAllConnections();
      }
    });
});
