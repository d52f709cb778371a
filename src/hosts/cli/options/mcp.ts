import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssistantPorts } from '../../../app/ports.ts';
import { UsageError } from './arguments.ts';
import type { McpFolders } from './mcp-servers.ts';

/**
 * Returns the MCP servers, or undefined if there are none: those of a file in the format of other programs, `{ "mcpServers": { … } }`, those of
 * `more`, and those that the folders define in `.vscode/mcp.json`. A server in the file takes precedence over one of `more` with the same name.
 * The code for MCP is loaded with the first run. @throws UsageError
 */
export function mcpServersOf(
  file: string | undefined,
  places: McpFolders,
  warn: (text: string) => void,
  more?: object,
): AssistantPorts['mcp'] | undefined {
  if (!file && !more && !places.folders.some((folder) => existsSync(join(folder, '.vscode/mcp.json')))) return undefined;
  const configured = { ...more, ...(file && readServerFile(file)) };
  const open = async () => (await import('./mcp-servers.ts')).openServers(configured, places, warn);
  let servers: ReturnType<typeof open> | undefined;
  const opened = () => {
    servers ??= open();
    return servers;
  };
  return {
    toolsFor: async (...run) => (await opened()).toolsFor(...run),
    overview: async (...run) => (await opened()).overview(...run),
    resources: async () => (await servers)?.resources() ?? [],
    resourceReader: async (server) => (await opened()).resourceReader(server),
    close: async () => (await servers)?.close(),
  };
}

/** @throws UsageError if the file is not JSON */
export function readServerFile(file: string): object | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers?: object }).mcpServers;
  } catch (error) {
    throw new UsageError(`The MCP servers in ${file} cannot be read (${error instanceof Error ? error.message : error}). Check the file.`);
  }
}
