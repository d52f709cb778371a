/** Converts the MCP servers of a client to the format of Kedge's own configuration. */
import type { McpServer } from '@agentclientprotocol/sdk';

type Named = { name: string; value: string };

/**
 * Programs are started in the folder of the session. Servers that only support the outdated transport SSE are left out, because Kedge does
 * not announce that it supports them.
 */
export function serversOf(servers: readonly McpServer[] = [], cwd: string): Record<string, unknown> | undefined {
  const entries = servers.flatMap((server): [string, object][] => {
    if (!('type' in server)) {
      const { name, command, args, env } = server;
      return [[name, { command, args, env: recordOf(env), cwd }]];
    }
    return server.type === 'http' ? [[server.name, { url: server.url, headers: recordOf(server.headers) }]] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function recordOf(pairs: readonly Named[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
