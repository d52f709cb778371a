/** Connects to the configured MCP servers. It is loaded with the first run that may use them. */
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readServers } from '../../../mcp/config.ts';
import { McpServers } from '../../../mcp/servers.ts';
import { startServer } from '../../node/commands/server-process.ts';
import { StoredKeys } from '../../node/keyring.ts';
import { ApprovedDigests, DefinitionFiles, workspaceFile } from '../../node/mcp/definition-files.ts';
import { type AskForInput, fillFrom } from '../../node/mcp/fill.ts';
import { keychainStore } from '../../node/sign-in.ts';
import { storageDirectory } from '../../node/storage.ts';
import { oneLine } from '../output/terminal.ts';
import { linesOf } from '../questions.ts';
import { terminalSignIn } from './sign-in.ts';

export type McpFolders = { folders: readonly string[]; storage: string };

export function openServers(configured: unknown, { folders, storage }: McpFolders, warn: (text: string) => void): McpServers {
  const places = folders.map((folder) => ({ path: workspaceFile(folder), folder, isWorkspace: true }));
  const defined = new DefinitionFiles().read(places);
  const { servers, problems } = readServers(configured, defined.servers);
  for (const problem of [...problems, ...defined.problems]) warn(problem);
  const store = keychainStore(new StoredKeys(join(storageDirectory(process.env), 'mcp')));
  return new McpServers({
    configured: () => servers,
    load: () => import('../../../mcp/client/index.ts'),
    start: startServer,
    signIn: terminalSignIn(),
    approved: new ApprovedDigests(storage, 'mcp-servers.json'),
    fill: fillFrom(store, askForInput),
    roots: () => folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })),
    onProblem: warn,
  });
}

/** The user's input is not displayed if it is a secret. A system without `stty` displays it. */
const askForInput: AskForInput = async (server, { id, description, isSecret, default: usual, options = [] }, signal) => {
  if (process.stdin.isTTY !== true)
    throw new Error(`its input ${id} has no value, and no terminal is connected. Run kedge agent in a terminal once`);
  const echo = (mode: 'echo' | '-echo') => void (isSecret && spawnSync('stty', [mode], { stdio: ['inherit', 'ignore', 'ignore'] }));
  const restore = () => echo('echo');
  const choices = options.length > 0 ? ` (${options.map((option) => oneLine(option, 100)).join(', ')})` : '';
  const end = usual === undefined || isSecret ? '' : ` [${oneLine(usual, 100)}]`;
  process.once('exit', restore);
  echo('-echo');
  try {
    const prompt = `\nkedge: The MCP server ${oneLine(server, 100)} needs: ${oneLine(description, 300)}${choices}${end} > `;
    const line = (await linesOf(process.stdin).ask(prompt, signal))?.trim();
    return line || usual;
  } finally {
    restore();
    process.off('exit', restore);
    if (isSecret) process.stderr.write('\n');
  }
};
