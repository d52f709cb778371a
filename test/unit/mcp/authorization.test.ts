import assert from 'node:assert/strict';
import { Authorization } from '../../../src/mcp/client/authorization.ts';
import type { SignIn } from '../../../src/mcp/types.ts';

const { signal } = new AbortController();
const SERVICE = { url: 'https://tools.example/mcp' };

function signInWith(answer: (address: URL) => Record<string, string>, secrets = new Map<string, string>()): SignIn & { asked: URL[] } {
  const asked: URL[] = [];
  return {
    asked,
    load: async (key) => secrets.get(key),
    save: async (key, secret) => void secrets.set(key, secret),
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
});
