/** The client of one session: what it can do, and the requests and updates that are sent to it. */
import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  methods,
  RequestError,
  type RequestPermissionRequest,
  type SendRequestOptions,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

/** How long the client may take to read or write a file. */
const FILE_MS = 15_000;
/** How long the client may take to answer about a terminal, except until its command has exited. */
const TERMINAL_MS = 15_000;

/** A question to the user. With `cancelled`, the client ended the turn instead of answering. */
export type Choice = { optionId: string } | 'cancelled';
type Permission = Omit<RequestPermissionRequest, 'sessionId'>;
type Form = Omit<Extract<CreateElicitationRequest, { mode: 'form' }>, 'sessionId' | 'requestId' | 'mode'>;

export class SessionClient {
  readonly sessionId: string;
  readonly capabilities: ClientCapabilities;
  readonly #connection: AgentContext;

  constructor(sessionId: string, connection: AgentContext, capabilities: ClientCapabilities) {
    this.sessionId = sessionId;
    this.#connection = connection;
    this.capabilities = capabilities;
  }

  /** An update to a connection that was closed is lost. The log of the session contains everything. */
  async update(update: SessionUpdate): Promise<void> {
    await this.#connection.notify(methods.client.session.update, { sessionId: this.sessionId, update }).catch(() => undefined);
  }

  /** Asks the user to choose an option. */
  async choose(permission: Permission, signal: AbortSignal): Promise<Choice> {
    if (signal.aborted) return 'cancelled';
    const request = { sessionId: this.sessionId, ...permission };
    const response = await this.#connection.request(methods.client.session.requestPermission, request, stopping(signal));
    const outcome: Partial<typeof response.outcome> = response?.outcome ?? {};
    if (signal.aborted || outcome.outcome !== 'selected') return 'cancelled';
    return { optionId: String(outcome.optionId) };
  }

  get showsForms(): boolean {
    return this.capabilities.elicitation?.form != null;
  }

  async fillIn(form: Form & { toolCallId: string }, signal: AbortSignal): Promise<CreateElicitationResponse> {
    const request: CreateElicitationRequest = { mode: 'form', sessionId: this.sessionId, ...form };
    return this.#connection.request(methods.client.elicitation.create, request, stopping(signal));
  }

  get hasFiles(): boolean {
    return this.capabilities.fs?.readTextFile === true;
  }

  get writesFiles(): boolean {
    return this.hasFiles && this.capabilities.fs?.writeTextFile === true;
  }

  /** Returns the text of a file as the client has it. @throws Error if the client does not answer or cannot read the file */
  async readFile(path: string, signal: AbortSignal): Promise<string> {
    const request = { sessionId: this.sessionId, path };
    const options = stopping(AbortSignal.any([signal, AbortSignal.timeout(FILE_MS)]));
    const { content } = await this.#connection.request<{ content: unknown }>(methods.client.fs.readTextFile, request, options);
    // The protocol's library does not check responses.
    if (typeof content !== 'string') throw new RequestError(-32603, 'The file has no text.');
    return content;
  }

  /** @throws Error if the client does not start the command */
  async createTerminal(command: Omit<CreateTerminalRequest, 'sessionId'>): Promise<string> {
    const request = { sessionId: this.sessionId, ...command };
    const { terminalId } = await this.#connection.request<{ terminalId: unknown }>(methods.client.terminal.create, request, timed());
    if (typeof terminalId !== 'string') throw new RequestError(-32603, 'The client did not open a terminal.');
    return terminalId;
  }

  async terminalOutput(terminalId: string): Promise<string> {
    const request = { sessionId: this.sessionId, terminalId };
    const { output } = await this.#connection.request<{ output: unknown }>(methods.client.terminal.output, request, timed());
    return typeof output === 'string' ? output : '';
  }

  /** Resolves when the command has exited. */
  async terminalExit(terminalId: string): Promise<{ code?: number; signal?: string }> {
    const request = { sessionId: this.sessionId, terminalId };
    type Exit = { exitCode?: unknown; signal?: unknown };
    const { exitCode, signal } = (await this.#connection.request<Exit>(methods.client.terminal.waitForExit, request)) ?? {};
    return { ...(typeof exitCode === 'number' && { code: exitCode }), ...(typeof signal === 'string' && { signal }) };
  }

  async killTerminal(terminalId: string): Promise<void> {
    await this.#connection.request(methods.client.terminal.kill, { sessionId: this.sessionId, terminalId }, timed());
  }

  async releaseTerminal(terminalId: string): Promise<void> {
    await this.#connection.request(methods.client.terminal.release, { sessionId: this.sessionId, terminalId }, timed());
  }

  async writeFile(path: string, content: string): Promise<void> {
    const request = { sessionId: this.sessionId, path, content };
    await this.#connection.request(methods.client.fs.writeTextFile, request, stopping(AbortSignal.timeout(FILE_MS)));
  }
}

function timed(): SendRequestOptions {
  return stopping(AbortSignal.timeout(TERMINAL_MS));
}

function stopping(cancellationSignal: AbortSignal): SendRequestOptions {
  return { cancellationSignal, stopWaitingOnCancel: true };
}
