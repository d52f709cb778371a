/**
 * The client that the conformance suite tests: Kedge's own connection to MCP servers, without a model. The suite starts it with the address of
 * a server as the last argument. It lists the tools of the server and calls each once. In place of a user, it agrees to every sign-in.
 */
import { startServer } from '../src/hosts/node/commands/server-process.ts';
import { connect } from '../src/mcp/client/index.ts';
import type { Ask, SignIn } from '../src/mcp/types.ts';

const ARGUMENTS: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } };
const url = process.argv.at(-1) as string;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
};
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
/** The address of the document with which the suite expects a client to identify itself. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';
const signal = AbortSignal.timeout(170_000);
const ignore = () => undefined;
const events = { onChanged: ignore, onResourcesChanged: ignore, onLog: ignore, onClosed: ignore };

const secrets = new Map<string, string>();
const signIn: SignIn = {
  load: async (key) => secrets.get(key),
  save: async (key, secret) => void secrets.set(key, secret),
  exclusively: (_key, work) => work(),
  redirectUrl: async () => 'http://127.0.0.1:33419/callback',
  // The authorization servers of the suite redirect at once.
  async authorize(_server, address) {
    const response = await fetch(address, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '', address).searchParams;
  },
};

// The suite tests the defaults of forms.
const ask: Ask = async ({ options }) => ({ option: options.find(({ label }) => label.startsWith('Use the default'))?.label ?? 'Accept' });

const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
const grant = scenario.startsWith('auth/client-credentials') ? ('client_credentials' as const) : undefined;
const oauth =
  clientId !== undefined
    ? { clientId, clientSecret, privateKey, grant }
    : scenario === 'auth/basic-cimd'
      ? { clientMetadataUrl: DOCUMENT }
      : undefined;
const config = { url, ...(oauth && { oauth }) };
const connection = await connect('conformance', config, events, startServer, signal, signIn);
for (const { name } of await connection.tools(signal))
  await connection.call(name, ARGUMENTS[name] ?? {}, { signal, progress: ignore, ask });
await connection.close();
