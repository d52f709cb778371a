import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exclusiveIn } from '../../../src/hosts/node/exclusive.ts';
import { connect } from '../../../src/mcp/client/index.ts';
import { type McpServerConfig, readServers } from '../../../src/mcp/config.ts';
import type { McpConnection, SignIn } from '../../../src/mcp/types.ts';
import { startOAuthServer } from '../../support/oauth-server.ts';

const { signal } = new AbortController();
const unused = () => undefined;

describe('the tokens of an MCP server', () => {
  let folder: string;
  let secrets: Map<string, string>;
  let asked: URL[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-tokens-'));
    secrets = new Map();
    asked = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Connects as a window of its own, which shares only the secrets with the others. */
  function open(config: McpServerConfig): Promise<McpConnection> {
    const signIn: SignIn = {
      load: async (key) => secrets.get(key),
      save: async (key, secret) => void secrets.set(key, secret),
      exclusively: exclusiveIn(folder),
      redirectUrl: async (wanted) => wanted ?? 'http://127.0.0.1:40000/callback',
      async authorize(_server, address) {
        asked.push(address);
        return new URLSearchParams({ code: 'code', state: address.searchParams.get('state') ?? '' });
      },
    };
    const events = { onChanged: unused, onResourcesChanged: unused, onLog: unused, onClosed: unused };
    return connect('web', config, events, () => Promise.reject(new Error('unused')), signal, signIn);
  }

  it('are renewed once if several windows need new ones at the same time', async () => {
    await using server = await startOAuthServer();
    const windows = [await open({ url: server.url }), await open({ url: server.url }), await open({ url: server.url })];
    assert.equal(asked.length, 1, 'the other windows use the stored tokens');
    for (let round = 1; round <= 2; round++) {
      server.expire();
      const lists = await Promise.all(windows.map((window) => window.tools(signal)));
      assert.deepEqual(
        lists.map((tools) => tools.map(({ name }) => name)),
        [['look'], ['look'], ['look']],
      );
      const grants = server.tokenRequests.map(({ body }) => body.get('grant_type'));
      assert.deepEqual(grants, ['authorization_code', ...Array<string>(round).fill('refresh_token')]);
    }
    assert.equal(asked.length, 1, 'nobody has to sign in again');
    await Promise.all(windows.map((window) => window.close()));
  });

  it('are requested without a user for a client with credentials, from one authorization server only', async () => {
    await using server = await startOAuthServer();
    const oauth = { clientId: 'robot', clientSecret: 's3cret', grant: 'client_credentials' as const, scope: 'read' };
    const connection = await open({ url: server.url, oauth });
    await connection.close();
    assert.deepEqual(asked, []);
    const [{ body, authorization } = { body: undefined, authorization: '' }] = server.tokenRequests;
    assert.deepEqual([body?.get('grant_type'), body?.get('scope')], ['client_credentials', 'read']);
    assert.equal(authorization, `Basic ${btoa('robot:s3cret')}`);
    assert.ok(![...secrets.values()].join('').includes('s3cret'), 'the secret is in the configuration only');
    secrets.clear();
    server.expire();
    await assert.rejects(open({ url: server.url, oauth: { ...oauth, issuer: 'https://login.example' } }), /login\.example/);
    assert.equal(server.tokenRequests.length, 1, 'the secret was not sent to another authorization server');
  });

  it('are requested again if the user configures another document that describes the client', async () => {
    await using server = await startOAuthServer();
    await (await open({ url: server.url })).close();
    await (await open({ url: server.url })).close();
    assert.equal(asked.length, 1);
    const oauth = { clientMetadataUrl: 'https://kedge.example/client.json' };
    await (await open({ url: server.url, oauth })).close();
    assert.equal(asked.length, 2);
  });

  it('are stored under a name that does not contain the address, which can be a key', async () => {
    await using server = await startOAuthServer();
    await (await open({ url: `${server.url}?key=s3cret` })).close();
    await (await open({ url: `${server.url}?key=s3cret` })).close();
    assert.equal(asked.length, 1);
    assert.match([...secrets.keys()].join(), /^web [\da-f]{64}$/);
  });

  it('need a complete client', () => {
    const problem = (oauth: object) => readServers({ web: { url: 'https://a.example/', oauth } }).problems.join();
    assert.equal(problem({ clientId: 'a' }), '');
    assert.match(problem({ grant: 'client_credentials', clientId: 'a' }), /need a clientId with a clientSecret or a privateKey/);
    for (const clientMetadataUrl of ['http://a.example/x', 'https://a.example/', 'nothing'])
      assert.match(problem({ clientMetadataUrl }), /not the https address of a document/);
  });
});
