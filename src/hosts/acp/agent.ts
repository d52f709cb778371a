/** The agent side of the protocol: its methods, and the sessions that are open in this program. */
import { isAbsolute, join } from 'node:path';
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';
import type { Session } from '../../app/session/session.ts';
import { modelText, parseModelRef } from '../../providers/catalog.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { AcpSession } from './acp-session.ts';
import { agentOf, agentOption } from './agents.ts';
import { COMMANDS, commandOf, configOptions, modeOf, modesOf } from './choices.ts';
import { SessionClient } from './client.ts';
import { ClientFileSystem } from './files/client-files.ts';
import { ClientDocuments } from './files/documents.ts';
import { ClientWriter } from './files/writer.ts';
import { serversOf } from './mcp-servers.ts';
import type { AcpHost, OpenedFolders } from './ports.ts';
import { deleteSession, listSessions } from './session-list.ts';
import { ClientTerminals } from './terminals.ts';
import { ClientPaths } from './updates/tool-calls.ts';

/** The parts of a client that a session uses. */
type Parts = { documents: ClientDocuments; terminals: ClientTerminals };
type Place = { cwd: string; additionalDirectories?: string[]; mcpServers?: McpServer[] };

export class KedgeAgent {
  readonly app: AgentApp;
  readonly #host: AcpHost;
  readonly #sessions = new Map<string, AcpSession>();
  /** Returns the option with the agents of each session. */
  readonly #agentOptions = new WeakMap<AcpSession, () => ReturnType<typeof agentOption>>();
  #capabilities: ClientCapabilities = {};

  constructor(host: AcpHost) {
    this.#host = host;
    const { session } = methods.agent;
    this.app = agent({ name: 'kedge' })
      .onRequest(methods.agent.initialize, ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: 'kedge', title: 'Kedge', version: host.version },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, embeddedContext: true },
            mcpCapabilities: { http: true },
            sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
          },
          authMethods: [],
        };
      })
      .onRequest(session.new, ({ params, client }) => explained(() => this.#begin(params, client)))
      .onRequest(session.load, ({ params, client }) => explained(() => this.#open(params.sessionId, params, client, true)))
      .onRequest(session.resume, ({ params, client }) => explained(() => this.#open(params.sessionId, params, client, false)))
      .onRequest(session.list, ({ params }) => explained(() => listSessions(host, params)))
      .onRequest(session.delete, ({ params }) => explained(() => this.#delete(params.sessionId)))
      .onRequest(session.close, ({ params }) => explained(() => this.#close(params.sessionId)))
      .onRequest(session.prompt, ({ params, signal }) =>
        explained(async () => ({ stopReason: await this.#session(params.sessionId).prompt(params.prompt, signal) })),
      )
      .onRequest(session.setMode, async ({ params }) => {
        await this.#choose(params.sessionId, 'mode', params.modeId);
        return {};
      })
      .onRequest(session.setConfigOption, async ({ params }) => {
        const configOptions = await this.#choose(params.sessionId, params.configId, params.value);
        return { configOptions };
      })
      .onNotification(session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  /** Ends everything that the sessions have started. Their runs can be continued later. */
  async shutDown(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.shutDown()));
  }

  async #begin(place: Place, client: AgentContext) {
    const [documents, terminals] = [new ClientDocuments(), new ClientTerminals()];
    const folders = this.#folders(place, documents, terminals);
    const session = await folders.assistant.newSession();
    return { sessionId: session.id, ...(await this.#add(session, folders, { documents, terminals }, client)) };
  }

  /** Opens a session of an earlier connection. With `replays`, its history is sent. */
  async #open(sessionId: string, place: Place, client: AgentContext, replays: boolean) {
    await this.#sessions.get(sessionId)?.close();
    this.#sessions.delete(sessionId);
    const [documents, terminals] = [new ClientDocuments(), new ClientTerminals()];
    const folders = this.#folders(place, documents, terminals);
    const session = /^[\w-]+$/.test(sessionId) ? await folders.assistant.session(sessionId) : undefined;
    if (!session) {
      await folders.assistant.shutDown();
      throw RequestError.sessionNotFound(sessionId);
    }
    const opened = await this.#add(session, folders, { documents, terminals }, client);
    const added = this.#session(sessionId);
    if (replays) added.replay();
    await added.updates.sent;
    return opened;
  }

  async #close(sessionId: string): Promise<Record<string, never>> {
    const session = this.#session(sessionId);
    this.#sessions.delete(sessionId);
    await session.close();
    return {};
  }

  async #delete(sessionId: string): Promise<Record<string, never>> {
    if (this.#sessions.has(sessionId)) await this.#close(sessionId);
    await deleteSession(this.#host, sessionId);
    return {};
  }

  #folders({ cwd, additionalDirectories = [], mcpServers }: Place, documents: ClientDocuments, terminals: ClientTerminals): OpenedFolders {
    const folders = [cwd, ...additionalDirectories];
    const relative = folders.find((folder) => !isAbsolute(folder));
    if (relative !== undefined) throw RequestError.invalidParams(undefined, `${JSON.stringify(relative)} is not an absolute path.`);
    const servers = serversOf(mcpServers, cwd);
    const { readTextFile, writeTextFile } = this.#capabilities.fs ?? {};
    return this.#host.open(folders, {
      reviewAgent: async (agent, id) => (await this.#sessions.get(id)?.reviewAgent(agent)) ?? false,
      ...(servers && { mcpServers: servers }),
      ...(this.#capabilities.terminal === true && { launch: terminals.launch }),
      ...(readTextFile && {
        files: (disk, writer) => {
          const fs = new ClientFileSystem(disk, documents);
          return { fs, writer: new ClientWriter(fs, disk, writer, writeTextFile ? documents : undefined) };
        },
      }),
    });
  }

  /** Returns the choices of the user, which are the answer to the request that opened the session. */
  async #add(session: Session, folders: OpenedFolders, { documents, terminals }: Parts, context: AgentContext) {
    const { lastRun } = session.state;
    const client = new SessionClient(session.id, context, this.#capabilities);
    const paths = new ClientPaths(folders.fs, new DiskBlobs(join(folders.storage, 'blobs')));
    const model = this.#host.model ?? lastRun?.model ?? { provider: 'offline', model: 'offline' };
    const mode = lastRun?.mode ?? 'ask';
    const added = new AcpSession(session, folders, client, paths, { mode, model });
    documents.attach(client, () => added.signal);
    terminals.attach(client, (terminalId) => added.updates.terminal(terminalId));
    this.#sessions.set(session.id, added);
    this.#agentOptions.set(added, () => agentOption(added.chosen.agent, folders.assistant, session));
    added.onAgentChosen = () => void this.#sendOptions(added);
    const configOptions = await this.#options(added);
    // The client knows the session when it has received the response.
    setImmediate(() => void this.#sendCommands(added, session, folders));
    return { modes: modesOf(mode), configOptions };
  }

  /** The commands of the prompt files follow those of Kedge. A file that cannot be read must not hide the others. */
  async #sendCommands({ updates }: AcpSession, session: Session, { assistant }: OpenedFolders): Promise<void> {
    const prompts = await assistant.customizations(session).then(
      (customizations) => customizations.commands(),
      () => [],
    );
    const availableCommands = [...COMMANDS, ...prompts.filter(({ command }) => !command.includes(' ')).map(commandOf)];
    updates.send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** Sets a choice of the user. Returns all choices. @throws RequestError if there is no such choice */
  async #choose(sessionId: string, option: string, value: unknown) {
    const session = this.#session(sessionId);
    const { chosen, updates } = session;
    const models = this.#host.models();
    if (option === 'mode') {
      const mode = modeOf(value);
      if (!mode) throw RequestError.invalidParams(undefined, 'There is no such mode. Use ask, plan or agent.');
      session.chosen = { ...chosen, mode };
      updates.send({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    } else if (option === 'model' && (value === modelText(chosen.model) || models.some((model) => model.value === value))) {
      session.chosen = { ...chosen, model: parseModelRef(value as string) };
    } else {
      const agents = option === 'agent' ? await this.#agentOptions.get(session)?.() : undefined;
      const agent = agents && agentOf(value, agents);
      if (agent === undefined) throw RequestError.invalidParams(undefined, 'There is no such option or value.');
      session.chosen = { ...session.chosen, agent };
    }
    return this.#sendOptions(session);
  }

  async #options(session: AcpSession): Promise<SessionConfigOption[]> {
    const agents = await this.#agentOptions.get(session)?.();
    const { mode, model } = session.chosen;
    return [...configOptions(mode, model, this.#host.models()), ...(agents ? [agents] : [])];
  }

  async #sendOptions(session: AcpSession): Promise<SessionConfigOption[]> {
    const options = await this.#options(session);
    session.updates.send({ sessionUpdate: 'config_option_update', configOptions: options });
    return options;
  }

  #session(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw RequestError.sessionNotFound(id);
  }
}

/** Turns an error into one with a message for the user. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestError(error instanceof Error && error.name === 'UsageError' ? -32602 : -32603, message);
  }
}
