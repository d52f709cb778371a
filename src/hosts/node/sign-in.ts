/** Receives the browser's redirect after the user has signed in to an MCP server. Only this computer can reach it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignIn } from '../../mcp/types.ts';
import type { StoredKeys } from './keyring.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';
const PAGE = 'You are signed in. You can close this page and return to Kedge.\n';

/**
 * Asks the user to sign in at an address. The browser must not be opened unless they agree. `ended` is aborted when the sign-in is over.
 * @throws Error if they cannot be asked or do not agree
 */
export type AskToSignIn = (server: string, address: URL, ended: AbortSignal) => Promise<void>;

export type SecretStore = { load(key: string): Promise<string | undefined>; save(key: string, secret: string): Promise<void> };

/** Stores secrets in the keychain. Without a keychain, they are known only until the program ends. */
export function keychainStore(keys: StoredKeys): SecretStore {
  const unsaved = new Map<string, string>();
  return {
    load: async (key) => unsaved.get(key) ?? keys.get(key),
    async save(key, secret) {
      unsaved.set(key, secret);
      // Another process may replace a secret in the keychain, so what is stored there is always read there.
      const remove = () => unsaved.get(key) === secret && unsaved.delete(key);
      await keys.set(key, secret).then(remove, () => undefined);
    },
  };
}

/** @param exclusively waits for the other processes that use the same store */
export function browserSignIn(store: SecretStore, exclusively: SignIn['exclusively'], ask: AskToSignIn): SignIn {
  return {
    ...store,
    exclusively,
    async redirectUrl(wanted) {
      const port = wanted !== undefined && URL.canParse(wanted) ? Number(new URL(wanted).port) : 0;
      return `http://${HOST}:${(await freePort(port)) ?? (await freePort(0))}${PATH}`;
    },
    async authorize(server, address, signal) {
      const returnsTo = new URL(address.searchParams.get('redirect_uri') ?? '');
      // Node 20 has no `Promise.withResolvers`.
      let resolve = (_parameters: URLSearchParams) => {};
      let reject = (_error: unknown) => {};
      const returned = new Promise<URLSearchParams>((...both) => {
        [resolve, reject] = both;
      });
      const listener = createServer((request, response) => {
        // Any program or page can send any text here, which need not be a valid address.
        const [, path, query] = /^([^?]*)\??(.*)$/.exec(request.url ?? '') ?? [];
        const searchParams = new URLSearchParams(query);
        const isAnswer = request.method === 'GET' && path === PATH && searchParams.has('state');
        response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
        response.end(isAnswer ? PAGE : 'There is nothing here.\n');
        // A request of another program cannot know the state, and must not end the wait.
        if (isAnswer && searchParams.get('state') === address.searchParams.get('state')) resolve(searchParams);
      });
      const ended = new AbortController();
      const stop = () => reject(signal.reason);
      try {
        signal.throwIfAborted();
        signal.addEventListener('abort', stop, { once: true });
        listener.listen(Number(returnsTo.port), HOST);
        await once(listener, 'listening');
        ask(server, address, ended.signal).catch(reject);
        return await returned;
      } finally {
        ended.abort();
        signal.removeEventListener('abort', stop);
        listener.close();
      }
    },
  };
}

/** Returns a port that nothing uses now: `wanted`, or any for 0. Returns undefined if it is in use. */
async function freePort(wanted: number): Promise<number | undefined> {
  const finder = createServer().listen(wanted, HOST);
  try {
    await once(finder, 'listening');
    return (finder.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    finder.close();
  }
}
