/** Connects to the configured MCP servers. It is loaded with the first run that may use them. */
import { readServers } from '../../../mcp/config.ts';
import { McpServers } from '../../../mcp/servers.ts';
import { startServer } from '../../node/commands/server-process.ts';
import { terminalSignIn } from './sign-in.ts';

export function openServers(configured: unknown, warn: (text: string) => void): McpServers {
  const { servers, problems } = readServers(configured);
  for (const problem of problems) warn(problem);
  return new McpServers({
    configured: () => servers,
    load: () => import('../../../mcp/client/index.ts'),
    start: startServer,
    signIn: terminalSignIn(),
    onProblem: warn,
  });
}
