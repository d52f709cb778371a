import * as vscode from 'vscode';
import { readServers } from '../../mcp/config.ts';
import { McpServers } from '../../mcp/servers.ts';
import { startServer } from '../node/commands/server-process.ts';
import { notificationText } from './notification-text.ts';
import { userSetting } from './settings/settings.ts';

/** Returns the MCP servers from the user's settings. A workspace cannot configure servers, because starting a server runs a program. */
export function editorMcpServers(): McpServers {
  const warned = new Set<string>();
  const warn = (text: string) => void vscode.window.showWarningMessage(notificationText(text));
  return new McpServers({
    configured() {
      const { servers, problems } = readServers(userSetting('mcpServers'));
      // The settings are read often, but each problem is reported only once.
      for (const problem of problems.filter((each) => !warned.has(each))) {
        warned.add(problem);
        warn(problem);
      }
      return servers;
    },
    load: () => import('../../mcp/client/index.ts'),
    start: startServer,
    onProblem: warn,
  });
}
