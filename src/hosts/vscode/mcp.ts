import { join } from 'node:path';
import * as vscode from 'vscode';
import { readServers } from '../../mcp/config.ts';
import { McpServers } from '../../mcp/servers.ts';
import type { SignIn } from '../../mcp/types.ts';
import { startServer } from '../node/commands/server-process.ts';
import { exclusiveIn } from '../node/exclusive.ts';
import { browserSignIn } from '../node/sign-in.ts';
import { notificationText } from './notification-text.ts';
import { type Keys, userSetting } from './settings/settings.ts';

/** Returns the MCP servers from the user's settings. A workspace cannot configure servers, because starting a server runs a program. */
export function editorMcpServers({ keys, sharedStorage }: { keys: Keys; sharedStorage: string }): McpServers {
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
    signIn: editorSignIn(keys, join(sharedStorage, 'mcp')),
    onProblem: warn,
  });
}

/** The browser is opened only after the user has agreed. The tokens are in VS Code's secret storage. */
function editorSignIn(keys: Keys, locks: string): SignIn {
  const store = { load: (key: string) => keys.get(`mcp.${key}`), save: (key: string, secret: string) => keys.set(`mcp.${key}`, secret) };
  return browserSignIn(store, exclusiveIn(locks), async (server, address) => {
    const signIn = 'Sign In';
    const text = `The MCP server ${server} requires that you sign in at ${address.host}. Kedge opens that page in your browser.`;
    if ((await vscode.window.showInformationMessage(notificationText(text), signIn)) !== signIn) throw new Error('You did not sign in.');
    await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
  });
}
