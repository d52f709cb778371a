/** The parts of the editor that runs use. They are loaded and created with the first run, so that activation stays fast. */
import { join } from 'node:path';
import { type Disposable, type ExtensionContext, workspace } from 'vscode';
import type { WorkPorts, WorktreesPort } from '../../app/ports.ts';
import type { McpServers } from '../../mcp/servers.ts';
import { TerminalText } from '../../tools/commands/command-text.ts';
import { Commands } from '../node/commands/commands.ts';
import { gitSettings } from '../node/commands/git-settings.ts';
import { PageFetcher } from '../node/fetch/fetch.ts';
import { findHooks } from '../node/hooks/find-hooks.ts';
import { storageDirectory } from '../node/storage.ts';
import { readMemory } from '../node/system-memory.ts';
import { userFiles } from '../node/user-files.ts';
import type { EditorDocuments } from './documents/editor-documents.ts';
import { DraftFormatter } from './files/draft-formatter.ts';
import type { VsCodeFileSystem } from './files/file-system.ts';
import { VsCodeWriter } from './files/writer.ts';
import { VsCodeLanguages } from './languages/languages.ts';
import type { ProblemKinds } from './languages/problem-kinds.ts';
import { editorMcpServers } from './mcp.ts';
import { memoryOf } from './memory.ts';
import type { Models } from './models/models.ts';
import { readPolicy } from './settings/policy-settings.ts';
import type { Keys, VsCodeSettings } from './settings/settings.ts';
import { editorSurroundings } from './surroundings.ts';
import type { Executed, LastOutput } from './terminal/last-output.ts';
import { Terminals } from './terminal/terminal.ts';

/** The parts of Kedge that runs need. */
type Window = {
  readonly context: Pick<ExtensionContext, 'globalStorageUri'>;
  readonly storage: string;
  readonly sharedStorage: string;
  readonly fs: VsCodeFileSystem;
  readonly settings: VsCodeSettings;
  readonly keys: Keys;
  readonly problemKinds: ProblemKinds;
  readonly lastOutput: LastOutput;
  readonly models: Pick<Models, 'isServedHere'>;
  documents(): Promise<EditorDocuments>;
};

export function workPorts(kedge: Window): WorkPorts & Disposable & { terminals: Terminals; mcp: McpServers } {
  const formatter = new DraftFormatter();
  const terminals = new Terminals();
  const commands = new Commands({
    storage: join(kedge.storage, 'commands'),
    directory: (at) => kedge.fs.directory(at),
    launch: terminals.launch,
    environment: () => kedge.settings.environment(),
  });
  let worktrees: (WorktreesPort & Disposable) | undefined;
  const mcp = editorMcpServers(kedge);
  const folders = workspace.onDidChangeWorkspaceFolders(() => mcp.rootsChanged());
  return {
    terminals,
    writer: () => new VsCodeWriter(kedge.fs),
    languages: new VsCodeLanguages(() => kedge.fs, kedge.problemKinds),
    format: (at, text) => formatter.format(kedge.fs.uri(at), text),
    commands: () => (kedge.fs.folders.some(({ root }) => root !== undefined) ? commands : undefined),
    fetcher: new PageFetcher(),
    browser: async () => {
      const browser = kedge.settings.browser();
      if (!browser) return undefined;
      const { RunBrowser } = await import('../node/browser/run-browser.ts');
      return new RunBrowser({ data: storageDirectory(), ...browser, environment: () => kedge.settings.environment() });
    },
    // The grammars are as large as the rest of the extension, so they are loaded only when the first command runs.
    shellParsers: async (shell) => (await import('../node/shell/shell-parser.ts')).nodeShellParsers(shell),
    gitSettings: (at) => gitSettings(kedge.fs.directory(at)),
    changes: async (at, isWithheld, signal, staged) =>
      kedge.fs.folders[at.folder]?.root === undefined
        ? undefined
        : (await import('../node/commands/git-changes.ts')).gitChanges(kedge.fs.directory(at), isWithheld, signal, staged),
    terminalOutput: () => kedge.lastOutput.last && outputText(kedge.lastOutput.last),
    worktrees: async () => (worktrees ??= (await import('./files/worktrees.ts')).editorWorktrees(kedge)),
    memory: async (model) => ((await kedge.models.isServedHere(model)) ? readMemory() : undefined),
    mcp,
    policy: readPolicy,
    remembered: memoryOf(kedge),
    agents: async () => (await import('./agents/agents-port.ts')).agentsPort(kedge.storage),
    hooks: () =>
      findHooks({
        folders: kedge.fs.folders.flatMap(({ root }) => root ?? []),
        storage: kedge.storage,
        environment: () => kedge.settings.environment(),
      }),
    userFiles: async (kind) => userFiles(kind),
    documents: async () => (await kedge.documents()).collections.forRuns(),
    surroundings: async () => editorSurroundings(kedge.fs, kedge.settings.surroundings()),
    dispose() {
      for (const each of [formatter, commands, terminals, folders, worktrees]) each?.dispose();
    },
  };
}

/** Formats the output as the terminal shows it, below its command. */
function outputText({ command, raw, isCut, exitCode }: Executed): string {
  let text = '';
  const terminal = new TerminalText((final) => {
    text += final;
  });
  terminal.write(raw);
  terminal.end();
  return [`$ ${command}`, isCut && '[the beginning is cut off]', text.trimEnd(), exitCode && `[exit code ${exitCode}]`]
    .filter(Boolean)
    .join('\n');
}
