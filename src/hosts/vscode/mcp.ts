import * as vscode from 'vscode';
import { readServers } from '../../mcp/config.ts';
import { McpServers } from '../../mcp/servers.ts';
import { startServer } from '../node/commands/server-process.ts';
import { userSetting } from './settings/settings.ts';

/** The MCP servers from the user's settings. A workspace cannot configure servers, because starting a server runs a program. */
export function editorMcpServers(): McpServers {
  const warn = (text: string) => void vscode.window.showWarningMessage(text);
  return new McpServers({
    configured() {
      const { servers, problems } = readServers(userSetting('mcpServers'));
      for (const problem of problems) warn(problem);
      return servers;
    },
    load: () => import('../../mcp/client/index.ts'),
    start: startServer,
    onProblem: warn,
  });
}
