/** Converts the MCP servers of a client to the format of Kedge's own configuration. */
import type { McpServer } from '@agentclientprotocol/sdk';

type Named = { name: string; value: string };

/** Servers that only support the outdated transport SSE are left out, because Kedge does not announce that it supports them. */
export function serversOf(servers: readonly McpServer[] = []): Record<string, unknown> | undefined {
  const entries = servers.flatMap((server): [string, object][] => {
    if (!('type' in server)) return [[server.name, { command: server.command, args: server.args, env: recordOf(server.env) }]];
    return server.type === 'http' ? [[server.name, { url: server.url, headers: recordOf(server.headers) }]] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function recordOf(pairs: readonly Named[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
