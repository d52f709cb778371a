/** Finds the MCP servers of other programs, and describes them before the user adds them. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { type Importable, importableServers } from '../../../mcp/definitions/import.ts';

const MAX_BYTES = 20_000_000;

export type FoundServer = Importable & { file: string };
/** All texts are one visible line. */
export type Description = { name: string; starts: string; details: string[] };

/** Returns the servers in the files of Claude Code, Claude Desktop and Cursor. The first of several servers with the same name counts. */
export function serversOfOthers(folders: readonly string[], home = homedir()): FoundServer[] {
  const found = importFiles(folders, home).flatMap((file) => serversIn(file, folders));
  return [...new Map(found.toReversed().map((server) => [server.name, server])).values()].reverse();
}

/** Names the variables and headers that the server gets, without their values. */
export function described({ name, config, secrets, file }: FoundServer): Description {
  const starts = 'url' in config ? config.url : [config.command, ...(config.args ?? [])].join(' ');
  const [kind, values] = 'url' in config ? ['headers', config.headers] : ['environment', config.env];
  const names = Object.keys(values ?? {});
  const { length } = Object.keys(secrets);
  const details = [
    file,
    ...(names.length > 0 ? [`${kind}: ${names.join(', ')}`] : []),
    ...(length > 0 ? [`${length} ${length === 1 ? 'value' : 'values'} for the secret storage`] : []),
  ];
  return { name: visibleLine(name), starts: visibleLine(starts), details: details.map((detail) => visibleLine(detail)) };
}

function importFiles(folders: readonly string[], home: string): string[] {
  const data = { darwin: join(home, 'Library', 'Application Support'), win32: process.env.APPDATA ?? join(home, 'AppData', 'Roaming') };
  const desktop = data[process.platform as keyof typeof data] ?? join(home, '.config');
  return [
    ...folders.flatMap((folder) => [join(folder, '.mcp.json'), join(folder, '.cursor', 'mcp.json')]),
    join(home, '.claude.json'),
    join(desktop, 'Claude', 'claude_desktop_config.json'),
    join(home, '.cursor', 'mcp.json'),
  ];
}

function serversIn(file: string, folders: readonly string[]): FoundServer[] {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return [];
    return importableServers(readFileSync(file, 'utf8'), folders).map((server) => ({ ...server, file }));
  } catch {
    return [];
  }
}
