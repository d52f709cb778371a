/** A client of the Agent Client Protocol: the SDK's own client side, which talks to the built program in a child process. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type WaitForTerminalExitResponse,
} from '@agentclientprotocol/sdk';
import { PROGRAM } from './program.ts';

export type ClientSetup = {
  folder: string;
  home: string;
  env?: Record<string, string>;
  args?: string[];
  capabilities?: ClientCapabilities;
  /** Chooses an option by a part of its name, or does not answer. */
  choose?(request: RequestPermissionRequest): string | 'cancelled' | Promise<string | 'cancelled'>;
  fillIn?(request: CreateElicitationRequest): CreateElicitationResponse;
  /** The unsaved text of open documents, by their paths. */
  documents?: Map<string, string>;
  /** Whether the client runs commands, in processes of its own, or why it does not. */
  terminals?: true | string;
  /** How the client stores a document that the agent writes. */
  write?(path: string, content: string): void | Promise<void>;
};

export class AcpClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly ended: Promise<number | null>;
  readonly written: { path: string; content: string }[] = [];
  /** The requests about terminals, and the commands that were run. */
  readonly terminalRequests: string[] = [];
  readonly commands: CreateTerminalRequest[] = [];
  readonly #terminals = new Map<string, { child: ChildProcess; output: string; exited: Promise<WaitForTerminalExitResponse> }>();
  err = '';
  readonly #setup: ClientSetup;
  #changed: () => void = () => undefined;

  constructor(setup: ClientSetup) {
    this.#setup = setup;
    const { folder, home, env = {}, args = [] } = setup;
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    this.child = spawn(process.execPath, [PROGRAM, 'acp', ...args], { cwd: folder, env: { ...clean, KEDGE_HOME: home, ...env } });
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    const input = Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>;
    this.connection = client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#changed();
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#choose(params))
      .onRequest(methods.client.elicitation.create, ({ params }) => setup.fillIn?.(params) ?? { action: 'decline' })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        const content = setup.documents?.get(params.path);
        if (content === undefined) throw RequestError.resourceNotFound(params.path);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
        this.written.push({ path, content });
        await setup.write?.(path, content);
        return {};
      })
      .onRequest(methods.client.terminal.create, ({ params }) => this.#createTerminal(params))
      .onRequest(methods.client.terminal.output, ({ params }) => ({ output: this.#terminal(params.terminalId).output, truncated: false }))
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => this.#terminal(params.terminalId).exited)
      .onRequest(methods.client.terminal.kill, ({ params }) => {
        this.terminalRequests.push('kill');
        process.kill(-(this.#terminal(params.terminalId).child.pid as number), 'SIGKILL');
        return {};
      })
      .onRequest(methods.client.terminal.release, ({ params }) => {
        this.terminalRequests.push('release');
        this.#terminals.delete(params.terminalId);
        return {};
      })
      .connect(ndJsonStream(Writable.toWeb(this.child.stdin), input));
  }

  async #choose(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    this.permissions.push(request);
    this.#changed();
    const name = (await this.#setup.choose?.(request)) ?? 'Reject';
    if (name === 'cancelled') return { outcome: { outcome: 'cancelled' } };
    const option = request.options.find((each) => each.name.includes(name));
    if (!option) throw new Error(`No option ${name} among ${request.options.map((each) => each.name).join(', ')}`);
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }

  #createTerminal(params: CreateTerminalRequest): { terminalId: string } {
    const { command, args, cwd, env = [] } = params;
    this.terminalRequests.push('create');
    this.commands.push(params);
    if (this.#setup.terminals !== true) throw new RequestError(-32603, String(this.#setup.terminals));
    const child = spawn(command, args ?? [], {
      cwd: cwd ?? undefined,
      // A group of its own, which ends as a whole.
      detached: true,
      env: { ...process.env, ...this.#setup.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    });
    const exited = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal }) as WaitForTerminalExitResponse);
    const terminal = { child, output: '', exited };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        terminal.output += text;
        this.#changed();
      });
    const terminalId = `terminal-${this.commands.length}`;
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  #terminal(id: string) {
    const terminal = this.#terminals.get(id);
    if (!terminal) throw RequestError.resourceNotFound(id);
    return terminal;
  }

  /** The output of a terminal that is not released. */
  outputOf(id: string): string {
    return this.#terminals.get(id)?.output ?? '';
  }

  async initialize() {
    const clientCapabilities = { ...(this.#setup.terminals && { terminal: true }), ...this.#setup.capabilities };
    return this.connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
  }

  /** Starts a session, in Ask mode unless another mode is named. Returns its id. */
  async begin(mode?: string): Promise<string> {
    await this.initialize();
    const { agent } = this.connection;
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: this.#setup.folder, mcpServers: [] });
    if (mode) await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode });
    return sessionId;
  }

  async load(sessionId: string): Promise<void> {
    await this.initialize();
    await this.connection.agent.request(methods.agent.session.load, { sessionId, cwd: this.#setup.folder, mcpServers: [] });
  }

  prompt(sessionId: string, ...content: (string | ContentBlock)[]): Promise<PromptResponse> {
    const prompt = content.map((each): ContentBlock => (typeof each === 'string' ? { type: 'text', text: each } : each));
    return this.connection.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  cancel(sessionId: string): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** The text of all chunks of a kind. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk'): string {
    return this.updates
      .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
      .join('');
  }

  of<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
  }

  /** Resolves when the condition holds, which is checked with each message of the agent. */
  async until(holds: (client: AcpClient) => boolean): Promise<void> {
    const met = new Promise<void>((resolve) => {
      this.#changed = () => holds(this) && resolve();
      this.#changed();
    });
    await Promise.race([met, this.ended.then(() => Promise.reject(new Error(`The program has ended: ${this.err}`)))]);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
