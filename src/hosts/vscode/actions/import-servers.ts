/** Adds MCP servers of other programs to the user's settings. The user picks them, and keys in their files go to the secret storage. */
import * as vscode from 'vscode';
import type { Importable } from '../../../mcp/definitions/import.ts';
import { inputKey } from '../../node/mcp/fill.ts';
import { described, serversOfOthers } from '../../node/mcp/importable.ts';
import { notificationText } from '../notification-text.ts';
import { type Keys, userSetting } from '../settings/settings.ts';

export async function importServers({ keys }: { keys: Keys }): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file' && vscode.workspace.isTrusted)
    .map(({ uri }) => uri.fsPath);
  const configured = userSetting<Record<string, unknown>>('mcpServers') ?? {};
  const found = serversOfOthers(folders);
  const added = found.filter(({ name }) => !Object.hasOwn(configured, name));
  if (added.length === 0) {
    const text =
      found.length > 0
        ? 'All servers in the files of Claude and Cursor are in your settings.'
        : 'No servers were found in the files of Claude and Cursor.';
    return void vscode.window.showInformationMessage(notificationText(text));
  }
  const items = added.map((server) => {
    const { name, starts, details } = described(server);
    return { label: name, description: starts, detail: details.join(' · '), server };
  });
  const title = 'Kedge: Import MCP Servers';
  const picked = await vscode.window.showQuickPick(items, {
    title,
    canPickMany: true,
    matchOnDescription: true,
    placeHolder: 'Choose the servers to add to your settings',
  });
  if (!picked || picked.length === 0) return;
  await addServers(
    keys,
    picked.map(({ server }) => server),
  );
  const text = `${picked.map(({ label }) => label).join(', ')} ${picked.length === 1 ? 'was' : 'were'} added to your settings. A run in Agent mode starts them.`;
  void vscode.window.showInformationMessage(notificationText(text));
}

async function addServers(keys: Pick<Keys, 'set'>, servers: readonly Importable[]): Promise<void> {
  const all: Record<string, unknown> = { ...userSetting<Record<string, unknown>>('mcpServers') };
  for (const { name, config, secrets } of servers) {
    if (Object.hasOwn(all, name)) continue;
    for (const [id, value] of Object.entries(secrets)) await keys.set(`mcp.${inputKey(undefined, id)}`, value);
    all[name] = config;
  }
  await vscode.workspace.getConfiguration('kedge').update('mcpServers', all, vscode.ConfigurationTarget.Global);
}
