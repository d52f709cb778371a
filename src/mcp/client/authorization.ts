/** Signs in to an MCP server over HTTP with OAuth, as the SDK carries it out: discovery, registration of the client, PKCE and tokens. */
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { jsonIn } from '../../core/json.ts';
import type { SignIn } from '../types.ts';

/**
 * `client` is what the authorization server has registered, with the redirect address that it knows. `issuer` is the authorization server that
 * has accepted the user's own client `clientId`.
 */
type Saved = {
  client?: OAuthClientInformationMixed;
  redirectUrl?: string;
  tokens?: OAuthTokens;
  own?: { clientId: string; issuer?: string | undefined };
};
/** `oauth` is a client that the user has registered, from the settings. */
type Service = { url: string; oauth?: { clientId: string; clientSecret?: string | undefined } | undefined };
/** `signal` returns the signal that ends the wait for the user. `onSignIn` is called when that wait begins. */
type Options = { signal(): AbortSignal; onSignIn?: (() => void) | undefined };
type Own = Options & { server: string; key: string; signIn: SignIn; service: Service };

export class Authorization implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #own: Own;
  #saved: Saved;
  #verifier = '';
  #state = '';
  /** The address of the authorization server, as the server has named it. */
  #issuer = '';
  #code: string | undefined;

  private constructor(own: Own, saved: Saved, redirectUrl: string) {
    this.#own = own;
    this.#saved = saved;
    this.redirectUrl = redirectUrl;
  }

  static async open(server: string, service: Service, signIn: SignIn, options: Options): Promise<Authorization> {
    // Tokens are bound to the address, so that a server that was moved does not get the tokens of another one.
    const key = `${server} ${new URL(service.url).href}`;
    const stored = jsonIn((await signIn.load(key)) ?? '{}');
    const saved = (stored !== null && typeof stored === 'object' ? stored : {}) as Saved;
    return new Authorization({ server, key, signIn, service, ...options }, saved, await signIn.redirectUrl(saved.redirectUrl));
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Kedge',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { oauth } = this.#own.service;
    if (oauth) {
      const { clientId, clientSecret } = oauth;
      const { own } = this.#saved;
      // With the issuer, the SDK sends the secret to no other authorization server that the server may name later.
      const issuer = own?.clientId === clientId ? own.issuer : undefined;
      return {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(issuer !== undefined && { issuer }),
      };
    }
    // The authorization server refuses a redirect address that was not registered. Tokens can be renewed without one.
    return this.#saved.redirectUrl === this.redirectUrl || this.#saved.tokens ? this.#saved.client : undefined;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    const { oauth } = this.#own.service;
    if (!oauth) await this.#save({ ...this.#saved, client, redirectUrl: this.redirectUrl });
    else if (client.client_id === oauth.clientId)
      await this.#save({ ...this.#saved, own: { clientId: oauth.clientId, issuer: client.issuer } });
  }

  saveDiscoveryState({ authorizationServerUrl }: OAuthDiscoveryState): void {
    this.#issuer = authorizationServerUrl;
  }

  tokens(): OAuthTokens | undefined {
    return this.#saved.tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.#save({ ...this.#saved, tokens });
  }

  /** Resolves when the browser has returned, so `takeCode` has the code. @throws Error if the user does not sign in */
  async redirectToAuthorization(address: URL): Promise<void> {
    expectSecure(address, new URL(this.#own.service.url));
    const [state, issuer] = [this.#state, this.#issuer];
    const { server, signIn, signal, onSignIn } = this.#own;
    onSignIn?.();
    const returned = await signIn.authorize(server, address, signal());
    const problem = returned.get('error_description') ?? returned.get('error');
    if (problem) throw new Error(`The sign-in failed: ${problem}`);
    const code = returned.get('code');
    if (!code || returned.get('state') !== state) throw new Error('The sign-in failed: the answer does not belong to this request');
    // Otherwise a server could name its own address for the code of a sign-in at another authorization server (RFC 9207).
    const iss = returned.get('iss');
    if (iss !== null && withoutSlash(iss) !== withoutSlash(issuer))
      throw new Error(`The sign-in failed: the answer comes from ${iss}, and the server named ${issuer}`);
    this.#code = code;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { tokens: _, ...client } = this.#saved;
    if (scope === 'tokens') await this.#save(client);
    // Any authorization server that the server names can cause this, so the user's own client stays bound.
    if (scope === 'all' || scope === 'client') await this.#save(client.own ? { own: client.own } : {});
  }

  /** Returns the code of a sign-in that has just succeeded, once. */
  takeCode(): string | undefined {
    const code = this.#code;
    this.#code = undefined;
    return code;
  }

  async #save(saved: Saved): Promise<void> {
    this.#saved = saved;
    await this.#own.signIn.save(this.#own.key, JSON.stringify(saved));
  }
}

/**
 * Returns the function for the requests to a server and for its sign-in. The server names the addresses of its sign-in, so these do not get the
 * headers in the settings, which may be keys.
 */
export function fetchFor({ url, headers }: { url: string; headers?: Record<string, string> | undefined }): FetchLike {
  const server = new URL(url);
  // The SDK follows a redirect to the secure form of the same address.
  const origins = [server.origin, ...(server.port === '' ? [`https://${server.hostname}`] : [])];
  return async (address, init) => {
    const target = new URL(address);
    if (!origins.includes(target.origin)) {
      expectSecure(target, server);
      return fetch(target, init);
    }
    const all = new Headers(headers);
    for (const [name, value] of new Headers(init?.headers)) all.set(name, value);
    return fetch(target, { ...init, headers: all });
  };
}

/** @throws Error if an address of the sign-in is not encrypted. Only a server on this computer may name another address on this computer. */
function expectSecure(address: URL, server: URL): void {
  if (address.protocol === 'https:' || (address.protocol === 'http:' && isLocal(address) && isLocal(server))) return;
  throw new Error(`The address of its sign-in is not secure: ${address.origin}`);
}

function isLocal({ hostname }: URL): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}
