/** The state of a configured MCP server as hosts show it. */
import type { ServerState, ServerStatus } from '../core/view/mcp-servers.ts';
import { type McpServerConfig, useOf } from './config.ts';
import { visible } from './tools.ts';
import type { McpConnection, McpTool } from './types.ts';

const MAX_DESCRIPTION = 300;

/** The state of a server that was used. */
export type KnownServer = {
  log: string;
  isStarting?: boolean;
  /** The reason for the server's latest failure. */
  error?: string | undefined;
  /** The tools in the server's latest list. */
  tools?: McpTool[];
  connection?: McpConnection;
};

export function statusOf(name: string, config: McpServerConfig, known: KnownServer | undefined): ServerStatus {
  const { error, log = '', tools } = known ?? {};
  const state: ServerState =
    known?.isStarting && !(known.connection && tools) ? 'starting' : known?.connection ? 'running' : error ? 'failed' : 'stopped';
  return {
    name,
    state,
    ...(state === 'failed' && error && { error: visible(error) }),
    ...(log && { log: visible(log) }),
    ...(tools && {
      tools: tools
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name: tool, description }) => ({
          name: tool,
          description: visible(description).slice(0, MAX_DESCRIPTION),
          use: useOf(config, tool),
        })),
    }),
  };
}

export function cannotBeUsed(name: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `The MCP server ${name} cannot be used: ${why.replace(/\.?$/, '.')} Check its settings.`;
}
