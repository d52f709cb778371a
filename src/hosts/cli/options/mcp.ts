import { readFileSync } from 'node:fs';
import type { AssistantPorts } from '../../../app/ports.ts';
import { UsageError } from './arguments.ts';

/**
 * Reads MCP servers from a file in the format of other programs, `{ "mcpServers": { … } }`. A server in the file takes precedence over one
 * of `more` with the same name. The code for MCP is loaded with the first run. @throws UsageError
 */
export function mcpServersOf(file: string | undefined, warn: (text: string) => void, more?: object): NonNullable<AssistantPorts['mcp']> {
  const configured = { ...more, ...(file && readServerFile(file)) };
  const open = async () => (await import('./mcp-servers.ts')).openServers(configured, warn);
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
