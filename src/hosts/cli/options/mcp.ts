import { readFileSync } from 'node:fs';
import type { AssistantPorts } from '../../../app/ports.ts';
import { UsageError } from './arguments.ts';

/**
 * Reads MCP servers from a file in the format of other programs, `{ "mcpServers": { … } }`. The code for MCP is loaded with the first
 * run. @throws UsageError
 */
export function mcpServersOf(file: string, warn: (text: string) => void): NonNullable<AssistantPorts['mcp']> {
  const configured = readJson(file);
  const open = async () => {
    const [{ McpServers }, { readServers }, { startServer: start }, { terminalSignIn }] = await Promise.all([
      import('../../../mcp/servers.ts'),
      import('../../../mcp/config.ts'),
      import('../../node/commands/server-process.ts'),
      import('./sign-in.ts'),
    ]);
    const { servers, problems } = readServers(configured);
    for (const problem of problems) warn(problem);
    return new McpServers({
      configured: () => servers,
      load: () => import('../../../mcp/client/index.ts'),
      start,
      signIn: terminalSignIn(),
      onProblem: warn,
    });
  };
  let servers: ReturnType<typeof open> | undefined;
  return {
    async toolsFor(mode, isDenied) {
      servers ??= open();
      return (await servers).toolsFor(mode, isDenied);
    },
    async overview(mode, isDenied) {
      servers ??= open();
      return (await servers).overview(mode, isDenied);
    },
    resources: async () => (await servers)?.resources() ?? [],
    async resourceReader(server) {
      servers ??= open();
      return (await servers).resourceReader(server);
    },
    close: async () => (await servers)?.close(),
  };
}

function readJson(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers?: unknown }).mcpServers;
  } catch (error) {
    throw new UsageError(`The MCP servers in ${file} cannot be read (${error instanceof Error ? error.message : error}). Check the file.`);
  }
}
