import { readFileSync } from 'node:fs';
import type { AssistantPorts } from '../../../app/ports.ts';
import { UsageError } from './arguments.ts';

/** The servers of a file as other programs have it, `{ "mcpServers": { … } }`. Loaded with the first run. @throws UsageError */
export function mcpServersOf(file: string, say: (text: string) => void): NonNullable<AssistantPorts['mcp']> {
  const written = readJson(file);
  const open = async () => {
    const [{ McpServers }, { readServers }, { startServer: start }] = await Promise.all([
      import('../../../mcp/servers.ts'),
      import('../../../mcp/config.ts'),
      import('../../node/commands/server-process.ts'),
    ]);
    const { servers, problems } = readServers(written);
    for (const problem of problems) say(problem);
    return new McpServers({ configured: () => servers, load: () => import('../../../mcp/client/index.ts'), start, onProblem: say });
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    async toolsFor(mode) {
      opened ??= open();
      return (await opened).toolsFor(mode);
    },
    close: async () => (await opened)?.close(),
  };
}

function readJson(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers?: unknown }).mcpServers;
  } catch (error) {
    throw new UsageError(`The MCP servers in ${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
