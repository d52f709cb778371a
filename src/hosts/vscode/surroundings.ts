/** The surroundings of a run in the editor: the computer, the repository, and the open files with their problems. */
import * as vscode from 'vscode';
import type { OpenFile, Surroundings } from '../../app/context/surroundings.ts';
import type { Part } from '../../app/context/surroundings-parts.ts';
import { gitBranch, systemSurroundings } from '../node/surroundings.ts';
import type { VsCodeFileSystem } from './files/file-system.ts';
import { linesOf } from './mentions.ts';

/** The part of the API of VS Code's Git extension that is used here. */
type GitApi = { repositories: readonly Repository[] };
type Repository = {
  rootUri: vscode.Uri;
  state: { HEAD?: { name?: string; commit?: string } } & { readonly [Group in (typeof GROUPS)[number]]?: readonly { uri: vscode.Uri }[] };
};
const GROUPS = ['indexChanges', 'workingTreeChanges', 'mergeChanges', 'untrackedChanges'] as const;

export function editorSurroundings(fs: VsCodeFileSystem, parts: ReadonlySet<Part>): Surroundings {
  const git = parts.has('git') ? gitOf(fs) : undefined;
  const wanted = { activeFile: parts.has('activeFile'), openFiles: parts.has('openFiles'), problems: parts.has('problems') };
  return { ...systemSurroundings(parts), ...(git && { git }), files: openFiles(fs), parts: wanted };
}

/** Asks the Git extension, which already has the list of changes. Without it, only the branch is known. */
function gitOf(fs: VsCodeFileSystem): Surroundings['git'] {
  const [folder] = fs.folders;
  if (!folder) return undefined;
  const extension = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  const repositories = extension?.isActive && extension.exports.enabled ? extension.exports.getAPI(1).repositories : [];
  const repository = repositories.find(({ rootUri }) => rootUri.toString() === folder.uri.toString());
  const { HEAD, ...state } = repository?.state ?? {};
  const branch = HEAD?.name ?? HEAD?.commit?.slice(0, 7);
  if (branch !== undefined) {
    const changes = GROUPS.flatMap((group) => state[group] ?? []);
    return { branch, changed: changes.flatMap(({ uri }) => fs.locate(uri) ?? []) };
  }
  const onDisk = folder.root === undefined ? undefined : gitBranch(folder.root);
  return onDisk === undefined ? undefined : { branch: onDisk };
}

function openFiles(fs: VsCodeFileSystem): OpenFile[] {
  const active = vscode.window.activeTextEditor;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.flatMap(({ input }) => uriOf(input) ?? []));
  const uris = new Map([...(active ? [active.document.uri] : []), ...tabs].map((uri) => [uri.toString(), uri]));
  return [...uris.values()].flatMap((uri) => {
    const at = fs.locate(uri);
    if (!at) return [];
    const severities = vscode.languages.getDiagnostics(uri).map(({ severity }) => severity);
    const selection = active?.document.uri.toString() === uri.toString() ? selectedLines(active.selection) : undefined;
    return {
      at,
      isActive: active?.document.uri.toString() === uri.toString(),
      ...(selection && { selection }),
      errors: severities.filter((severity) => severity === vscode.DiagnosticSeverity.Error).length,
      warnings: severities.filter((severity) => severity === vscode.DiagnosticSeverity.Warning).length,
    };
  });
}

function uriOf(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom)
    return input.uri;
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function selectedLines(selection: vscode.Selection): [number, number] | undefined {
  if (selection.isEmpty) return undefined;
  const { from, to } = linesOf(selection);
  return [from, to];
}
