/** Offers as mentions the files, the selection and the problems that the editor shows. */
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
  return { kind: 'selection', path, lines: linesOf(range) };
}

/** Returns the first and last line, counted from 1. A range of whole lines ends before the first character of the next line. */
export function linesOf({ start, end }: vscode.Range): { from: number; to: number } {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { from: start.line + 1, to: last + 1 };
}

/** Returns the selection of the active editor, or undefined if nothing is selected. */
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
