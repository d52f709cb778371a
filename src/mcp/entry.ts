/** The state that the manager of MCP servers keeps for each server that was used. */
import type { McpServerConfig } from './config.ts';
import type { KnownServer } from './status.ts';
import type { McpConnection, McpResource, McpTool } from './types.ts';

export type Opened = { connection: McpConnection; tools: McpTool[]; fingerprint: string };
export type Entry = KnownServer & {
  config: McpServerConfig;
  opened?: Promise<Opened> | undefined;
  failedAt?: number;
  /** The list of resources, until the server reports a change. */
  resources?: Promise<McpResource[]> | undefined;
  /** Set while a change of the list of tools waits to be displayed. */
  listing?: Promise<void> | undefined;
  /** The connection that is being made, if there is one. The promise settles when it succeeds, or when a failed attempt has been cleaned up. */
  connecting?: Promise<McpConnection> | undefined;
};

export async function end(connection: McpConnection | Promise<McpConnection> | undefined): Promise<void> {
  try {
    await (await connection)?.close();
  } catch {
    // The connection failed or is already closed.
  }
}

export function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => {
    // The timer must not keep the process alive.
    (setTimeout(resolve, ms) as { unref?(): void }).unref?.();
  });
}
