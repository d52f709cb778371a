import type { ImagePart, TextPart } from '../core/model/messages.ts';
import type { JsonSchema } from '../core/model/model.ts';
import type { McpServerConfig } from './config.ts';

/** A tool as a server describes it. Name, description and schema are a stranger's words. */
export type McpTool = { name: string; description: string; inputSchema: JsonSchema };

export type McpResult = { content: (TextPart | ImagePart)[]; isError: boolean };

export interface McpConnection {
  /** As the server has them now. */
  tools(signal: AbortSignal): Promise<McpTool[]>;
  /** Says what does not fit the tool's schema; undefined where all does. */
  misfit(tool: McpTool, input: unknown): string | undefined;
  /** @throws Error where the server fails, or ends. A tool's own failure is a result. */
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal, progress: (text: string) => void): Promise<McpResult>;
  close(): Promise<void>;
}

export type ConnectionEvents = {
  /** The server says that its tools are others now. */
  onChanged(): void;
  onClosed(): void;
};

export type ServerSpec = { command: string; args: string[]; env: Record<string, string>; cwd?: string };

/** The program of a server that was started. */
export interface ServerProcess {
  send(text: string): Promise<void>;
  /** Ends its input; what of it still runs after a moment is asked to end, and is ended by force in the end. */
  stop(): Promise<void>;
}

/** Starts the program of a server, which does not outlive the host. @throws Error where it cannot be started. */
export type StartServer = (
  spec: ServerSpec,
  on: { output(chunk: Uint8Array): void; said(text: string): void; closed(): void },
) => Promise<ServerProcess>;

/** What `client/index.ts` exports. It holds the SDK, so it is loaded with the first server. @throws Error that says why there is no connection. */
export type Connect = (
  name: string,
  config: McpServerConfig,
  events: ConnectionEvents,
  start: StartServer,
  signal: AbortSignal,
) => Promise<McpConnection>;
