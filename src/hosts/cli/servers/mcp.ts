/** The command `mcp`: lets other assistants ask about these folders over the Model Context Protocol. */
import type { AssistantPorts } from '../../../app/ports.ts';
import { CLIENT, clientAdapter } from '../../../app/run/reading-calls.ts';
import type { ServerPorts } from '../../mcp-server/server.ts';
import { NodeFileSystem } from '../../node/files/file-system.ts';
import { namesOfCollections } from '../documents/names.ts';
import { EXIT } from '../exit-codes.ts';
import { openKedge } from '../kedge.ts';
import { type Command, UsageError } from '../options/arguments.ts';
import { chosenModel, missingKey } from '../options/environment.ts';
import { oneLine } from '../output/terminal.ts';

type McpCommand = Extract<Command, { action: 'mcp' }>;

/** Limits of one question, besides its tool calls. Options on the command line replace them. */
const LIMITS = { turns: 14, minutes: 5 };

export async function serveMcp(
  command: McpCommand,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  hooks: { shutDown?: () => Promise<void> },
): Promise<number> {
  const { raw, http: port, 'no-global': noGlobal } = command.values;
  const collections = namesOfCollections(command.values);
  const { callsPerRun: calls, ...limits } = command.limits;
  // Nobody answers approvals here, so an edit permission would have no use.
  const options = { ...command, yes: false, limits: { ...LIMITS, ...limits } };
  /** The collections that a session may read. The other sessions may read all. */
  const readable = new Map<string, readonly string[]>();
  const adapt = (ports: AssistantPorts): AssistantPorts => ({
    ...forClients(ports),
    documents: async (sessionId) => {
      const names = readable.get(sessionId);
      const port = await kedge.documents.forRuns(names ?? (await namesOf()));
      return port && { ...port, alone: names !== undefined };
    },
  });
  const kedge = openKedge(options, env, undefined, { adapt });
  const namesOf = () => kedge.documents.names({ only: collections, noGlobal });
  hooks.shutDown = () => kedge.assistant.shutDown();
  const model = chosenModel(command.model, env) ?? { provider: 'offline', model: 'offline' };
  kedge.expectPrice(model);
  // A misspelled name must not look like an empty collection.
  await kedge.documents.expectNames(collections);
  const { default: manifest } = await import('../../../../package.json', { with: { type: 'json' } });
  const newSession = async (stopped: AbortSignal) => {
    const session = await kedge.assistant.newSession();
    const { config } = await kedge.use(model, session, stopped);
    const missing = missingKey(model, config);
    if (missing) throw new Error(missing);
    return session;
  };
  const ports: ServerPorts = {
    version: manifest.version,
    ...(calls !== undefined && { calls }),
    ...(raw && { raw: new NodeFileSystem(command.folders) }),
    newSession,
    documents: {
      names: namesOf,
      async newSession(names, stopped) {
        const session = await newSession(stopped);
        readable.set(session.id, names);
        return session;
      },
    },
  };
  if (port === undefined) await (await import('../../mcp-server/stdio.ts')).serveStdio(ports, signal);
  else {
    const http = await import('../../mcp-server/http.ts');
    const { url, token, closed } = await http.serveHttp(ports, { port: portOf(port), token: env.KEDGE_MCP_TOKEN?.trim() }, signal);
    say(
      `The MCP server is at ${url}. Clients must send the header "Authorization: Bearer ${token ?? '…'}"${token ? '' : ' with the value of KEDGE_MCP_TOKEN'}.`,
    );
    await closed;
  }
  await kedge.assistant.shutDown();
  return signal.aborted ? EXIT.stopped : EXIT.answered;
}

/** Another program asks, so no user answers. A call of a client takes the place of a model. */
function forClients(ports: AssistantPorts): AssistantPorts {
  return {
    ...ports,
    unattended: () => true,
    adapter: async (model) => (model.model === CLIENT.model && model.provider === CLIENT.provider ? clientAdapter : ports.adapter(model)),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new UsageError(`--http must be a port such as 8765, or 0 for any free port, not ${JSON.stringify(text)}.`);
}

function say(text: string): void {
  process.stderr.write(`kedge: ${oneLine(text, 1_000)}\n`);
}
