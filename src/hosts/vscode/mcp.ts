import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { type ConfiguredServers, readServers } from '../../mcp/config.ts';
import { McpServers } from '../../mcp/servers.ts';
import type { SignIn } from '../../mcp/types.ts';
import { startServer } from '../node/commands/server-process.ts';
import { exclusiveIn } from '../node/exclusive.ts';
import { ApprovedDigests, DefinitionFiles, type Definitions, workspaceFile } from '../node/mcp/definition-files.ts';
import { type AskForInput, fillFrom } from '../node/mcp/fill.ts';
import { browserSignIn, type SecretStore } from '../node/sign-in.ts';
import { notificationText } from './notification-text.ts';
import { type Keys, userSetting } from './settings/settings.ts';

/** The parts of Kedge that MCP servers need. */
type Window = { keys: Keys; storage: string; sharedStorage: string; context: Pick<vscode.ExtensionContext, 'globalStorageUri'> };

const files = new DefinitionFiles();

/** Returns the servers that files of VS Code define: the user's own, and those of the workspace's folders. */
export function serversOfVsCode({ context }: Pick<Window, 'context'>): Definitions {
  if (userSetting<unknown>('useVsCodeMcpServers') === false) return { servers: new Map(), problems: [] };
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  // The storage of extensions is below the folder with the user's settings. The API has no other way to find that folder.
  const user = dirname(dirname(context.globalStorageUri.fsPath));
  const first = folders[0] !== undefined && { folder: folders[0] };
  return files.read([
    { path: join(user, 'mcp.json'), ...first },
    // A server of the workspace is listed only if it could be started.
    ...(vscode.workspace.isTrusted ? folders.map((folder) => ({ path: workspaceFile(folder), folder, isWorkspace: true })) : []),
  ]);
}

/** Returns all servers: those of the user's settings, and those of VS Code's own files. */
export function configuredServers(window: Pick<Window, 'context'>): ConfiguredServers {
  const { servers, problems } = serversOfVsCode(window);
  const configured = readServers(userSetting('mcpServers'), servers);
  return { ...configured, problems: [...configured.problems, ...problems] };
}

/**
 * Returns the manager of the MCP servers. A workspace can define servers, but each is started only after an approval, because starting a server
 * runs a program.
 */
export function editorMcpServers(window: Window): McpServers {
  const warned = new Set<string>();
  const warn = (text: string) => void vscode.window.showWarningMessage(notificationText(text));
  const { keys, storage, sharedStorage } = window;
  const store = { load: (key: string) => keys.get(`mcp.${key}`), save: (key: string, secret: string) => keys.set(`mcp.${key}`, secret) };
  return new McpServers({
    configured() {
      const { servers, problems } = configuredServers(window);
      // The settings are read often, but each problem is reported only once.
      for (const problem of problems.filter((each) => !warned.has(each))) {
        warned.add(problem);
        warn(problem);
      }
      return servers;
    },
    load: () => import('../../mcp/client/index.ts'),
    start: startServer,
    signIn: editorSignIn(store, join(sharedStorage, 'mcp')),
    openAddress: async ({ href }) => void (await vscode.env.openExternal(vscode.Uri.parse(href, true))),
    approved: new ApprovedDigests(storage, 'mcp-servers.json'),
    fill: fillFrom(store, askForInput),
    roots: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ uri: uri.toString(), name })),
    onProblem: warn,
  });
}

/** The browser is opened only after the user has agreed. The tokens are in VS Code's secret storage. */
function editorSignIn(store: SecretStore, locks: string): SignIn {
  return browserSignIn(store, exclusiveIn(locks), async (server, address) => {
    const signIn = 'Sign In';
    const text = `The MCP server ${server} requires that you sign in at ${address.host}. Kedge opens that page in your browser.`;
    if ((await vscode.window.showInformationMessage(notificationText(text), signIn)) !== signIn) throw new Error('You did not sign in.');
    await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
  });
}

/** An input can be a secret, so it is entered in a box of VS Code and never becomes part of a session. */
const askForInput: AskForInput = async (server, { description, isSecret, default: value, options }, signal) => {
  const cancelling = new vscode.CancellationTokenSource();
  const cancel = () => cancelling.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const prompt = notificationText(`The MCP server ${server} needs: ${description}`);
  const shown = { title: 'Kedge: MCP Servers', ignoreFocusOut: true };
  try {
    return options
      ? await vscode.window.showQuickPick(options, { ...shown, placeHolder: prompt }, cancelling.token)
      : await vscode.window.showInputBox({ ...shown, prompt, password: isSecret, ...(value !== undefined && { value }) }, cancelling.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancelling.dispose();
  }
};
