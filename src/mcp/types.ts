import type { ImagePart, TextPart } from '../core/model/messages.ts';
import type { JsonSchema } from '../core/model/model.ts';
import type { ModelUse, Tool } from '../core/run/tool.ts';
import type { Question, QuestionAnswer } from '../core/session/events.ts';
import type { McpServerConfig } from './config.ts';

/** A tool as described by its server. Name, description and schema are untrusted. */
export type McpTool = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Whether the server says that the tool can destroy something. */
  isDestructive?: true;
};

/** A run whose tools can change while it is in progress. */
export type Joining = {
  /** Adds tools to the run. They replace earlier tools of the same servers. */
  join(tools: readonly Tool[]): void;
  /** Whether the run cannot begin without the tools, because it continues with a call of one of them. */
  waits: boolean;
};

/** A resource as described by its server. All of it is untrusted. `name` is the displayed name. */
export type McpResource = { uri: string; name: string; description: string };

/** A resource of a connected server. `server` is the name in the settings. */
export type ServerResource = McpResource & { server: string };

export type McpResult = { content: (TextPart | ImagePart)[]; isError: boolean };

/** Asks the user. The server can need input during a call. */
export type Ask = (question: Question, withdrawn?: AbortSignal) => Promise<QuestionAnswer>;

export type CallContext = { signal: AbortSignal; progress(text: string): void; ask?: Ask; model?: ModelUse | undefined };

/** Remembers during asynchronous work to which call it belongs, as Node's `AsyncLocalStorage` does. */
export type CallScope = { run<T>(call: object, work: () => T): T; getStore(): object | undefined };

export interface McpConnection {
  /** Fetches the current tool list. */
  tools(signal: AbortSignal): Promise<McpTool[]>;
  /** Fetches the current list of resources. It is empty if the server has none. */
  resources(signal: AbortSignal): Promise<McpResource[]>;
  /** Reads a resource. @throws Error if the server fails, exits, or does not have it */
  read(uri: string, signal: AbortSignal): Promise<(TextPart | ImagePart)[]>;
  /** Returns why the input does not match the tool's schema; undefined if it does. */
  misfit(tool: McpTool, input: unknown): string | undefined;
  /** @throws Error if the server fails or exits. A failure of the tool itself is returned as a result. */
  call(tool: string, input: Record<string, unknown>, context: CallContext): Promise<McpResult>;
  /** Tells the server that the open folders have changed. */
  rootsChanged(): Promise<void>;
  close(): Promise<void>;
}

/** A folder that a server may work in. */
export type Root = { uri: string; name: string };

export type ConnectionEvents = {
  /** The server reports that its tools have changed. */
  onChanged(): void;
  /** The server reports that its resources have changed. */
  onResourcesChanged(): void;
  /** Whether the user refuses all requests of the server to the model. */
  sampling?: { isRefused(): boolean; refuse(): void };
  /** Returns the open folders. Without it, the server is told that it cannot ask for them. */
  roots?(): Root[];
  /** Opens an address in the user's browser. */
  openAddress?(address: URL): Promise<void>;
  /** Tells in which call a request of the server has arrived. */
  scope?: CallScope;
  /** The server wrote to its error output, or sent a log message. */
  onLog(text: string): void;
  onClosed(): void;
  /** The user is asked to sign in, which takes longer than other requests. */
  onSignIn?(): void;
};

/** Lets the user sign in to a server over HTTP that requires it. Secrets are stored by a key for each server. */
export interface SignIn {
  load(key: string): Promise<string | undefined>;
  save(key: string, secret: string): Promise<void>;
  /** Waits until no other code uses the secrets of the key, in this or another process, and then does the work. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Returns the address to which the browser returns after the sign-in: `wanted`, if it is still possible. */
  redirectUrl(wanted: string | undefined): Promise<string>;
  /** Resolves with the parameters with which the browser has returned. @throws Error if the user cannot be asked or does not agree */
  authorize(server: string, address: URL, signal: AbortSignal): Promise<URLSearchParams>;
}

export type ServerSpec = { command: string; args: string[]; env: Record<string, string>; cwd?: string };

/** The process of a started server. */
export interface ServerProcess {
  send(text: string): Promise<void>;
  /** Closes the input of the process. If the process does not end, it is terminated, and finally killed. */
  stop(): Promise<void>;
}

/** Starts a server process, which never outlives the host. @throws Error if it cannot be started */
export type StartServer = (
  spec: ServerSpec,
  on: { output(chunk: Uint8Array): void; said(text: string): void; closed(): void },
) => Promise<ServerProcess>;

/**
 * The type of the export of `client/index.ts`, which includes the SDK and is therefore loaded on demand, with the first server.
 * @throws Error with the reason if connecting fails
 */
export type Connect = (
  name: string,
  config: McpServerConfig,
  events: ConnectionEvents,
  start: StartServer,
  signal: AbortSignal,
  signIn?: SignIn,
) => Promise<McpConnection>;

/**
 * Returns true if the user's rules deny a tool of a server or, without `tool`, all its tools. `tool` is the name that the model receives.
 */
export type IsDenied = (server: string, tool?: string) => boolean;
