import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { StoredKeys } from '../../../../src/hosts/node/keyring.ts';
import { browserSignIn, keychainStore } from '../../../../src/hosts/node/sign-in.ts';
import { folderOf, remove } from './folder.ts';

const store = { load: async () => undefined, save: async () => undefined };
const never = new AbortController().signal;

/** Returns the address of an authorization server that sends the browser back to `returnsTo`. */
const addressFor = (returnsTo: string) => new URL(`https://login.example/?state=right&redirect_uri=${encodeURIComponent(returnsTo)}`);

describe('a sign-in with the browser', () => {
  it('resolves with the answer for this request, and ignores other requests', async () => {
    const asked = Promise.withResolvers<string>();
    const { authorize, redirectUrl } = browserSignIn(
      store,
      (_, work) => work(),
      async (server, { host }, ended) => {
        ended.addEventListener('abort', () => undefined);
        asked.resolve(`${server} at ${host}`);
      },
    );
    const url = await redirectUrl(undefined);
    const signedIn = authorize('web', addressFor(url), never);
    assert.equal(await asked.promise, 'web at login.example');
    assert.equal((await fetch(new URL('/other?state=right', url))).status, 404);
    const socket = connect(Number(new URL(url).port), '127.0.0.1').end('GET // HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    assert.match(reply.toString(), /^HTTP\/1\.1 404 /, 'what is not an address does not end the program');
    assert.equal((await fetch(`${url}?state=wrong&code=evil`)).status, 200);
    assert.equal((await fetch(`${url}?state=right&code=good`)).status, 200);
    assert.equal((await signedIn).get('code'), 'good');
    await assert.rejects(fetch(url), 'nothing listens any more');
    assert.equal(await redirectUrl(url), url, 'the same address can be used again');
  });

  it('fails if the user does not agree, or the wait is over', async () => {
    const refusing = browserSignIn(
      store,
      (_, work) => work(),
      () => Promise.reject(new Error('You did not sign in.')),
    );
    await assert.rejects(refusing.authorize('web', addressFor(await refusing.redirectUrl(undefined)), never), /did not sign in/);
    const ending = new AbortController();
    const waiting = browserSignIn(
      store,
      (_, work) => work(),
      async () => ending.abort(new Error('It took too long.')),
    );
    await assert.rejects(waiting.authorize('web', addressFor(await waiting.redirectUrl(undefined)), ending.signal), /took too long/);
  });

  it('keeps tokens in the keychain, and without one until the program ends', async () => {
    const directory = await folderOf({});
    const kept = new Map<string, string>();
    const keychain = {
      get: async (name: string) => kept.get(name),
      set: async (name: string, key: string) => void kept.set(name, key),
      delete: async (name: string) => void kept.delete(name),
    };
    await keychainStore(new StoredKeys(directory, async () => keychain)).save('web', 'tokens');
    assert.equal(await keychainStore(new StoredKeys(directory, async () => keychain)).load('web'), 'tokens');
    const without = keychainStore(new StoredKeys(directory, () => Promise.reject(new Error('There is no keychain.'))));
    await without.save('other', 'more tokens');
    assert.equal(await without.load('other'), 'more tokens');
    await remove(directory);
  });
});
