import type { ImagePart, TextPart } from '../core/messages.ts';
import type { JsonSchema } from '../core/model.ts';
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

/** What `client/index.ts` exports: with the SDK in it, it is a bundle of its own. @throws Error that says why there is no connection. */
export type Connect = (name: string, config: McpServerConfig, events: ConnectionEvents, signal: AbortSignal) => Promise<McpConnection>;
