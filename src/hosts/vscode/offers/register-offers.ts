/**
 * Offers Kedge to the other assistants of VS Code: its reading tools in the list of language model tools, and its MCP server. The code
 * behind them is loaded when it is used.
 */
import * as vscode from 'vscode';
import type { Kedge } from '../kedge.ts';
import type { ReadingTools } from './reading-tools.ts';

/** The tools in the `languageModelTools` of package.json, without the prefix of their names. */
const TOOLS = ['read_file', 'list_directory', 'find_files', 'search_text'];
const PREFIX = 'kedge_';

export function registerOffers(kedge: Kedge): vscode.Disposable {
  let reading: Promise<ReadingTools> | undefined;
  const load = () => {
    reading ??= import('./reading-tools.ts').then(({ ReadingTools }) => new ReadingTools(kedge));
    return reading;
  };
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    ...TOOLS.map((name) =>
      vscode.lm.registerTool<object>(PREFIX + name, { invoke: async ({ input }, token) => (await load()).call(name, input, token) }),
    ),
    changed,
    kedge.onDidChange(() => changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider('kedge.mcp', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: async () => (await import('./mcp-definition.ts')).definitions(kedge),
      resolveMcpServerDefinition: async (server) => (await import('./mcp-definition.ts')).withConnection(server, kedge),
    }),
    new vscode.Disposable(() => void reading?.then((tools) => tools.dispose())),
  );
}
