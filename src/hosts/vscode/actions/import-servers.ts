/** Adds MCP servers of other programs to the user's settings. The user picks them, and keys in their files go to the secret storage. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { type Importable, importableServers } from '../../../mcp/definitions/import.ts';
import { inputKey } from '../../node/mcp/fill.ts';
import { notificationText } from '../notification-text.ts';
import { type Keys, userSetting } from '../settings/settings.ts';

const MAX_BYTES = 20_000_000;

type Found = Importable & { file: string };

export async function importServers({ keys }: { keys: Keys }): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file' && vscode.workspace.isTrusted)
    .map(({ uri }) => uri.fsPath);
  const configured = userSetting<Record<string, unknown>>('mcpServers') ?? {};
  const found = importFiles(folders).flatMap((file) => serversIn(file, folders));
  const added = found.filter(({ name }) => !Object.hasOwn(configured, name));
  if (added.length === 0) {
    const text =
      found.length > 0
        ? 'All servers in the files of Claude and Cursor are in your settings.'
        : 'No servers were found in the files of Claude and Cursor.';
    return void vscode.window.showInformationMessage(notificationText(text));
  }
  const items = added.map((server) => ({
    label: visibleLine(server.name),
    description: visibleLine(whatStarts(server)),
    detail: [server.file, ...keysText(server)].join(' · '),
    server,
  }));
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

/** The first of several servers with the same name counts. */
async function addServers(keys: Pick<Keys, 'set'>, servers: readonly Importable[]): Promise<void> {
  const all: Record<string, unknown> = { ...userSetting<Record<string, unknown>>('mcpServers') };
  for (const { name, config, secrets } of servers) {
    if (Object.hasOwn(all, name)) continue;
    for (const [id, value] of Object.entries(secrets)) await keys.set(`mcp.${inputKey(undefined, id)}`, value);
    all[name] = config;
  }
  await vscode.workspace.getConfiguration('kedge').update('mcpServers', all, vscode.ConfigurationTarget.Global);
}

/** The files of Claude Code, Claude Desktop and Cursor. */
function importFiles(folders: readonly string[]): string[] {
  const home = homedir();
  const data = { darwin: join(home, 'Library', 'Application Support'), win32: process.env.APPDATA ?? join(home, 'AppData', 'Roaming') };
  const desktop = data[process.platform as keyof typeof data] ?? join(home, '.config');
  return [
    ...folders.flatMap((folder) => [join(folder, '.mcp.json'), join(folder, '.cursor', 'mcp.json')]),
    join(home, '.claude.json'),
    join(desktop, 'Claude', 'claude_desktop_config.json'),
    join(home, '.cursor', 'mcp.json'),
  ];
}

function serversIn(file: string, folders: readonly string[]): Found[] {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return [];
    return importableServers(readFileSync(file, 'utf8'), folders).map((server) => ({ ...server, file }));
  } catch {
    return [];
  }
}

function whatStarts({ config }: Importable): string {
  return 'url' in config ? config.url : [config.command, ...(config.args ?? [])].join(' ');
}

function keysText({ secrets }: Importable): string[] {
  const { length } = Object.keys(secrets);
  return length === 0 ? [] : [`${length} ${length === 1 ? 'value' : 'values'} for the secret storage`];
}
