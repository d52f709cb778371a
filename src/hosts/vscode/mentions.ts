/** What the user sees and selects in the editor, as mentions. */
import * as vscode from 'vscode';
import type { MentionRef } from '../../core/model/messages.ts';
import { formatPath } from '../../workspace/paths.ts';
import type { VsCodeFileSystem } from './files/file-system.ts';

/** Returns the file or folder as a mention, or undefined if it is outside the workspace. A range that is not empty is a selection. */
export function refOfUri(fs: VsCodeFileSystem, uri: vscode.Uri, range?: vscode.Range): MentionRef | undefined {
  const at = fs.locate(uri);
  if (!at) return undefined;
  const path = formatPath(at, fs.folders);
  if (!range || range.isEmpty) return { kind: 'file', path };
  // A selection of whole lines ends before the first character of the next line.
  const end = range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
  return { kind: 'selection', path, lines: { from: range.start.line + 1, to: end + 1 } };
}

/** Returns the selection of the active editor. Undefined if nothing is selected. */
export function selectionRef(fs: VsCodeFileSystem): MentionRef | undefined {
  const ref = activeRef(fs);
  return ref?.kind === 'selection' ? ref : undefined;
}

/** Returns the selection of the active editor, or else its file. */
export function activeRef(fs: VsCodeFileSystem): MentionRef | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && refOfUri(fs, editor.document.uri, editor.selection);
}

/** Returns the paths of the files in open tabs, the active one first. */
export function openPaths(fs: VsCodeFileSystem): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? [input.uri] : [],
  );
  const active = vscode.window.activeTextEditor?.document.uri;
  const paths = [...(active ? [active] : []), ...uris].flatMap((uri) => {
    const at = fs.locate(uri);
    return at ? [formatPath(at, fs.folders)] : [];
  });
  return [...new Set(paths)];
}
