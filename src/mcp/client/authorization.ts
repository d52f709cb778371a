/** Signs in to an MCP server over HTTP with OAuth, as the SDK carries it out: discovery, registration of the client, PKCE and tokens. */
import type { AddClientAuthentication, OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthTokens,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { jsonIn } from '../../core/json.ts';
import { encodeText, hashOf } from '../../workspace/content.ts';
import type { OAuthClient } from '../config.ts';
import type { SignIn } from '../types.ts';

/**
 * `client` is what the authorization server has registered, with the redirect address that it knows, or the client that the document at
 * `metadataUrl` describes. `issuer` is the authorization server that has accepted the user's own client `clientId`. `expiresAt` is when the
 * access token expires, in milliseconds.
 */
type Saved = {
  client?: OAuthClientInformationMixed;
  redirectUrl?: string | undefined;
  metadataUrl?: string | undefined;
  tokens?: OAuthTokens;
  expiresAt?: number | undefined;
  own?: { clientId: string; issuer?: string | undefined };
};
type Service = { url: string; oauth?: OAuthClient | undefined };
/** `signal` returns the signal that ends the wait for the user. `onSignIn` is called when that wait begins. */
type Options = { signal(): AbortSignal; onSignIn?: (() => void) | undefined };
type Own = Options & { server: string; key: string; signIn: SignIn; service: Service };

export class Authorization implements OAuthClientProvider {
  /** Undefined if no user signs in. */
  readonly redirectUrl: string | undefined;
  /** Requests tokens for Kedge itself. */
  readonly prepareTokenRequest?: (scope?: string) => URLSearchParams;
  readonly addClientAuthentication?: AddClientAuthentication;
  readonly #own: Own;
  #saved: Saved;
  #verifier = '';
  #state = '';
  /** The address of the authorization server, as the server has named it. */
  #issuer = '';
  #code: string | undefined;

  private constructor(own: Own, saved: Saved, redirectUrl: string | undefined) {
    this.#own = own;
    this.#saved = saved;
    this.redirectUrl = redirectUrl;
    const { grant, clientId = '', privateKey, signingAlgorithm: alg = 'ES256' } = own.service.oauth ?? {};
    if (grant === 'client_credentials')
      this.prepareTokenRequest = (scope) => new URLSearchParams({ grant_type: grant, ...(scope !== undefined && { scope }) });
    if (privateKey !== undefined)
      this.addClientAuthentication = async (...request) => {
        const { createPrivateKeyJwtAuth } = await import('@modelcontextprotocol/sdk/client/auth-extensions.js');
        return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg })(...request);
      };
  }

  static async open(server: string, service: Service, signIn: SignIn, options: Options): Promise<Authorization> {
    // Tokens are bound to the address, so that a server that was moved does not get the tokens of another one.
    // The address can contain a key, and the names of secrets are stored in the clear.
    const key = `${server} ${await hashOf(encodeText(new URL(service.url).href))}`;
    const stored = await savedBy(signIn, key);
    // If the user has configured another document since then, the client and its tokens are of no use.
    const saved = stored.metadataUrl === service.oauth?.clientMetadataUrl ? stored : {};
    const redirectUrl = service.oauth?.grant === 'client_credentials' ? undefined : await signIn.redirectUrl(saved.redirectUrl);
    return new Authorization({ server, key, signIn, service, ...options }, saved, redirectUrl);
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#own.service.oauth ?? {};
    return {
      client_name: 'Kedge',
      redirect_uris: this.redirectUrl === undefined ? [] : [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope !== undefined && { scope }),
    };
  }

  /** The address of the document that describes the client. Authorization servers that do not support it are asked to register Kedge. */
  get clientMetadataUrl(): string | undefined {
    return this.#own.service.oauth?.clientMetadataUrl;
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { clientId, clientSecret, issuer: expected } = this.#own.service.oauth ?? {};
    const { own, client, redirectUrl, tokens } = this.#saved;
    if (clientId !== undefined) {
      // With the issuer, the SDK sends the secret to no other authorization server that the server may name later.
      const issuer = expected ?? (own?.clientId === clientId ? own.issuer : undefined);
      return {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(issuer !== undefined && { issuer }),
      };
    }
    // The authorization server refuses a redirect address that was not registered. Tokens can be renewed without one.
    return redirectUrl === this.redirectUrl || tokens ? client : undefined;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    const { clientId } = this.#own.service.oauth ?? {};
    if (clientId === undefined)
      await this.#save({ ...this.#saved, client, redirectUrl: this.redirectUrl, metadataUrl: this.clientMetadataUrl });
    else if (client.client_id === clientId) await this.#save({ ...this.#saved, own: { clientId, issuer: client.issuer } });
  }

  saveDiscoveryState({ authorizationServerUrl }: OAuthDiscoveryState): void {
    this.#issuer = authorizationServerUrl;
  }

  tokens(): OAuthTokens | undefined {
    return this.#saved.tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    const { expires_in: seconds } = tokens;
    await this.#save({ ...this.#saved, tokens, expiresAt: seconds === undefined ? undefined : Date.now() + seconds * 1_000 });
  }

  /**
   * Renews the tokens. Only one window renews them at a time, and the others take its result, because a refresh token is often valid only
   * once.
   */
  async renewed(request: URLSearchParams, send: () => Promise<Response>): Promise<Response> {
    const { key, signIn } = this.#own;
    return signIn.exclusively(key, async () => {
      const saved = await savedBy(signIn, key);
      const { tokens, expiresAt = Infinity } = saved;
      const isNewer = tokens !== undefined && tokens.access_token !== this.#saved.tokens?.access_token;
      const isOfSameIssuer = tokens?.issuer === this.#saved.tokens?.issuer;
      if (isNewer && isOfSameIssuer && expiresAt > Date.now()) {
        this.#saved = saved;
        return Response.json(tokens);
      }
      const response = await send();
      const received = OAuthTokensSchema.safeParse(
        await response
          .clone()
          .json()
          .catch(() => undefined),
      );
      // The others must find the new tokens as soon as they may continue. The SDK saves the same tokens later.
      if (response.ok && received.success)
        await this.saveTokens({ refresh_token: request.get('refresh_token') ?? '', ...received.data, issuer: this.#saved.tokens?.issuer });
      return response;
    });
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

async function savedBy(signIn: SignIn, key: string): Promise<Saved> {
  const stored = jsonIn((await signIn.load(key)) ?? '{}');
  return (stored !== null && typeof stored === 'object' ? stored : {}) as Saved;
}

/**
 * Returns the function for the requests to a server and for its sign-in. The server names the addresses of its sign-in, so these do not get the
 * headers in the settings, which may be keys.
 */
export function fetchFor(
  { url, headers }: { url: string; headers?: Record<string, string> | undefined },
  authorization?: Authorization,
): FetchLike {
  const send = fetchWithHeaders({ url, headers });
  return async (address, init) => {
    const { body } = init ?? {};
    const isRenewal = authorization && body instanceof URLSearchParams && body.get('grant_type') === 'refresh_token';
    return isRenewal ? authorization.renewed(body, () => send(address, init)) : send(address, init);
  };
}

function fetchWithHeaders({ url, headers }: { url: string; headers?: Record<string, string> | undefined }): FetchLike {
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
