/** The page of MCP servers: their states, logs and tools. What the user changes is written into the user's settings. */
import * as vscode from 'vscode';
import { SessionError } from '../../../../app/session/session-error.ts';
import type { ServerStatus } from '../../../../core/view/mcp-servers.ts';
import { withServerOn, withToolUse } from '../../../../mcp/config.ts';
import type { McpServers } from '../../../../mcp/servers.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import type { Kedge } from '../../kedge.ts';
import { configuredServers, serversOfVsCode } from '../../mcp.ts';
import { userSetting } from '../../settings/settings.ts';
import type { Page, PagePorts } from './page.ts';

const SERVERS = 'mcpServers';
/** How long changes are collected, because a server can write to its log very often. */
const RENEW_MS = 50;

export function serversPage({ kedge, post }: PagePorts<'servers'>): Page<'servers'> {
  let timer: NodeJS.Timeout | undefined;
  const renew = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void page.post();
    }, RENEW_MS);
  };
  let unwatch: (() => void) | undefined;
  let isDisposed = false;
  const manager = async () => {
    const servers = await serversOf(kedge);
    if (!isDisposed) unwatch ??= servers.onDidChange(renew);
    return servers;
  };
  const page = {
    async post() {
      const servers = await manager();
      const { unused } = configuredServers(kedge);
      const all: ServerStatus[] = [...servers.status(), ...unused].sort((a, b) => a.name.localeCompare(b.name));
      if (!isDisposed) post({ servers: all, trusted: vscode.workspace.isTrusted });
    },
    async handle(request: RequestOf<'servers'>) {
      await change(kedge, await manager(), request);
      await page.post();
    },
    dispose() {
      isDisposed = true;
      clearTimeout(timer);
      unwatch?.();
      watch.dispose();
    },
  };
  const watch = kedge.onDidChange(renew);
  return page;
}

/** Returns the manager of the servers, which is loaded with the code for runs. */
async function serversOf(kedge: Kedge): Promise<McpServers> {
  await kedge.assistant.warmUp();
  if (!kedge.mcp) throw new SessionError('MCP servers are not available.');
  return kedge.mcp;
}

async function change(kedge: Kedge, servers: McpServers, request: RequestOf<'servers'>): Promise<void> {
  switch (request.type) {
    case 'restart_server':
      // Starting a server runs a program.
      if (!vscode.workspace.isTrusted) throw new SessionError('This workspace is not trusted, so no MCP server is started in it.');
      return servers.restart(request.server);
    case 'turn_server':
      return write(withServerOn(userSetting(SERVERS), request.server, request.isOn, serversOfVsCode(kedge).servers));
    case 'use_tool':
      return write(withToolUse(userSetting(SERVERS), request.server, request.tool, request.use, serversOfVsCode(kedge).servers));
    case 'add_server':
      await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
        revealSetting: { key: `kedge.${SERVERS}`, edit: true },
      });
  }
}

async function write(value: object): Promise<void> {
  await vscode.workspace.getConfiguration('kedge').update(SERVERS, value, vscode.ConfigurationTarget.Global);
}
