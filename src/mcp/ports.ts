/** The ports that a host supplies to the manager of MCP servers. */
import type { McpServerConfig } from './config.ts';
import type { CallScope, Connect, Root, SignIn, StartServer } from './types.ts';

/** A definition whose variables are replaced. `keep` stores the values that the user entered for it. */
export type FilledConfig = { config: McpServerConfig; keep?(): Promise<void> };

export type McpPorts = {
  /** The user's current configuration. */
  configured(): Map<string, McpServerConfig>;
  load(): Promise<{ connect: Connect }>;
  start: StartServer;
  /** Without it, a request of a server waits while several runs use the server. */
  scope?: CallScope;
  /** Returns the open folders, which servers can ask for. */
  roots?(): Root[];
  /** Without it, servers that require a sign-in cannot be used. */
  signIn?: SignIn;
  /** Opens an address in the user's browser. Without it, the user opens it. */
  openAddress?(address: URL): Promise<void>;
  /**
   * The user's permanent decisions: the definitions of workspaces that they have approved, by digest, and the servers whose requests to the model
   * they refuse. Without it, no server of a workspace is started.
   */
  approved?: { has(digest: string): boolean; add(digest: string): void };
  /**
   * Replaces the variables in a definition before the server is started. `onAsked` is called when the user is asked for a value. `keep` stores
   * the values that they entered, once the server accepts them.
   */
  fill?(name: string, config: McpServerConfig, signal: AbortSignal, onAsked: () => void): Promise<FilledConfig>;
  /** Reports a failure. Each failure is reported only once, and the run continues without the server. */
  onProblem(text: string): void;
  now?(): number;
  /** How long the start of a run waits for servers, in milliseconds. */
  startMs?: number;
};
