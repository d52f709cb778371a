/** An MCP server over HTTP with its own authorization server. Each refresh token is valid once, and access tokens can be made to expire. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type OAuthServer = AsyncDisposable & {
  url: string;
  issuer: string;
  /** The bodies of the requests for tokens, and how each client identified itself. */
  tokenRequests: { body: URLSearchParams; authorization: string | undefined }[];
  /** Makes all access tokens invalid. */
  expire(): void;
};

export async function startOAuthServer(): Promise<OAuthServer> {
  let generation = 0;
  let valid = '';
  let refresh = '';
  const tokenRequests: OAuthServer['tokenRequests'] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const reply = (status: number, value?: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
      response.end(value && JSON.stringify(value));
    };
    const { pathname } = new URL(request.url ?? '', issuer);
    if (pathname === '/resource') return reply(200, { resource: `${issuer}/mcp`, authorization_servers: [issuer] });
    if (pathname.startsWith('/.well-known/oauth-authorization-server'))
      return reply(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    if (pathname === '/register') return reply(200, { ...(JSON.parse(body) as object), client_id: 'kedge' });
    if (pathname === '/token') {
      const form = new URLSearchParams(body);
      tokenRequests.push({ body: form, authorization: request.headers.authorization });
      if (form.get('grant_type') === 'refresh_token' && form.get('refresh_token') !== refresh)
        return reply(400, { error: 'invalid_grant', error_description: 'This refresh token was used before.' });
      generation++;
      valid = `access-${generation}`;
      refresh = `refresh-${generation}`;
      return reply(200, { access_token: valid, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh });
    }
    if (pathname !== '/mcp') return reply(404);
    if (request.method !== 'POST') return reply(405);
    if (request.headers.authorization !== `Bearer ${valid}`)
      return reply(401, {}, { 'www-authenticate': `Bearer resource_metadata="${issuer}/resource"` });
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return reply(202);
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } }
        : { tools: [{ name: 'look', inputSchema: { type: 'object' } }] };
    return reply(200, { jsonrpc: '2.0', id, result });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${issuer}/mcp`,
    issuer,
    tokenRequests,
    expire() {
      valid = 'none';
    },
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
    },
  };
}
