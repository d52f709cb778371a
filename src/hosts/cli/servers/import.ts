/** `/mcp import`: adds MCP servers of Claude and Cursor to the user's own file. The user confirms each, and keys go to the keychain. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../sessions/directory.ts';
import { configFile } from '../../node/config-path.ts';
import type { StoredKeys } from '../../node/keyring.ts';
import { inputKey } from '../../node/mcp/fill.ts';
import { described, type FoundServer, serversOfOthers } from '../../node/mcp/importable.ts';
import { readConfig, writeConfig } from '../config/config-file.ts';
import type { Environment } from '../options/environment.ts';
import { readServerFile } from '../options/mcp.ts';
import { oneLine } from '../output/terminal.ts';
import type { Prompter } from '../questions.ts';

const CHOICES = [
  { key: 'y', label: 'yes', help: 'add this server' },
  { key: 'n', label: 'no', help: 'leave this server out' },
];

/** Resolves to what happened. @throws Error if a file cannot be read or written */
export async function importServers(
  folders: readonly string[],
  prompter: Prompter,
  env: Environment,
  keys: Pick<StoredKeys, 'set'>,
  home?: string,
): Promise<string> {
  const settings = configFile(env);
  const config = readConfig(settings);
  const file = typeof config.mcpConfig === 'string' ? config.mcpConfig : join(dirname(settings), 'mcp.json');
  const own = existsSync(file) ? readServerFile(file) : undefined;
  const found = serversOfOthers(folders, home).filter(({ name }) => !Object.hasOwn(own ?? {}, name));
  if (found.length === 0) return 'The files of Claude and Cursor contain no other servers.';
  const signal = new AbortController().signal;
  const added: FoundServer[] = [];
  for (const server of found) {
    const { name, starts, details } = described(server);
    const text = [`${oneLine(name, 100)}: ${oneLine(starts, 1_000)}`, ...details.map((detail) => `  ${oneLine(detail, 1_000)}`)].join('\n');
    const answer = await prompter.ask(`\n${text}\nAdd this server? y = yes, n = no > `, signal, CHOICES);
    if (answer === undefined) return 'Nothing was added.';
    if (/^\s*y(es)?\s*$/i.test(answer)) added.push(server);
  }
  if (added.length === 0) return 'Nothing was added.';
  const unstored = await storeSecrets(added, keys);
  const servers = Object.assign(Object.create(null), own, ...added.map(({ name, config: server }) => ({ [name]: server })));
  replaceFile(existsSync(file) ? realpathSync(file) : file, `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`);
  if (config.mcpConfig === undefined) writeConfig(settings, { ...config, mcpConfig: file });
  const names = added.map(({ name }) => oneLine(name, 100)).join(', ');
  const later = unstored ? ' The keychain cannot be used, so you are asked for their keys when they start.' : '';
  return `${names} ${added.length === 1 ? 'was' : 'were'} added to ${file}.${later} Start Kedge again to use them in Agent mode.`;
}

/** Resolves to true if the keychain cannot be used. */
async function storeSecrets(servers: readonly FoundServer[], keys: Pick<StoredKeys, 'set'>): Promise<boolean> {
  const secrets = servers.flatMap((server) => Object.entries(server.secrets));
  try {
    for (const [id, value] of secrets) await keys.set(inputKey(undefined, id), value);
    return false;
  } catch {
    return true;
  }
}
