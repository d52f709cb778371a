/** The definition of Kedge's MCP server (`kedge mcp`) for VS Code, which starts it with the extension's own copy of the program. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EDITOR, modelText } from '../../../providers/catalog.ts';
import type { Kedge } from '../kedge.ts';
import { providerConfig } from '../settings/settings.ts';

/** Returns no server unless the user has turned it on, in a trusted workspace on this computer. */
export function definitions({ context, settings }: Pick<Kedge, 'context' | 'settings'>): vscode.McpStdioServerDefinition[] {
  const isOn = vscode.workspace.getConfiguration('kedge').inspect<boolean>('offer.mcpServer')?.globalValue === true;
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (!isOn || !vscode.workspace.isTrusted || folders.length === 0) return [];
  const model = settings.model('ask');
  const { extensionPath, extension } = context;
  const args = [
    ...[join(extensionPath, 'dist', 'launcher.js'), extensionPath, 'mcp'],
    ...folders.flatMap(({ uri }) => ['--folder', uri.fsPath]),
    // The program cannot use the models of the editor.
    ...(model.provider === EDITOR ? [] : ['--model', modelText(model)]),
  ];
  const { version } = extension.packageJSON as { version: string };
  return [new vscode.McpStdioServerDefinition('Kedge', process.execPath, args, { ELECTRON_RUN_AS_NODE: '1' }, version)];
}

/** Adds the key and the address of the model, when the server is about to start. */
export async function withConnection(
  server: vscode.McpServerDefinition,
  { settings, keys }: Pick<Kedge, 'settings' | 'keys'>,
): Promise<vscode.McpServerDefinition> {
  const { provider } = settings.model('ask');
  if (!(server instanceof vscode.McpStdioServerDefinition) || provider === EDITOR) return server;
  const { apiKey, baseUrl, headers, silenceMs } = await providerConfig(provider, settings, keys);
  server.env = {
    ...server.env,
    ...(apiKey && { KEDGE_API_KEY: apiKey }),
    ...(baseUrl && { KEDGE_BASE_URL: baseUrl }),
    ...(headers && { KEDGE_HEADERS: JSON.stringify(headers) }),
    ...(silenceMs && { KEDGE_SERVER_TIMEOUT: String(silenceMs / 1_000) }),
  };
  return server;
}
