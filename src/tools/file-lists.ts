/** Divides a text about several files into one part for each file, so that the parts about some files can be left out. */
import type { MentionRef } from '../core/model/messages.ts';

/** `path` is missing if the part does not belong to a specific file. */
type Piece = { text: string; path?: string };
/**
 * Describes how a text is split into parts about files. `leavesOut` says which files are omitted: those that may not be read, or only those
 * that are hidden.
 */
export type FileList = { leavesOut: 'withheld' | 'hidden'; separator: string; split(text: string): Piece[] };

/** Tools whose results are groups of lines, each below the path of its file. */
const GROUPED: ReadonlySet<string> = new Set([
  ...['search_text', 'get_diagnostics', 'workspace_symbols', 'go_to_definition', 'find_references'],
]);

const GROUPS: FileList = {
  leavesOut: 'withheld',
  separator: '\n\n',
  split: (text) => text.split('\n\n').map((group) => ({ text: group, path: group.split('\n', 1)[0] ?? '' })),
};
const PATHS: FileList = { leavesOut: 'hidden', separator: '\n', split: (text) => text.split('\n').map((path) => ({ text: path, path })) };
const CHANGES: FileList = { leavesOut: 'withheld', separator: '\n', split: changedFiles };

/** Returns how the result of a built-in tool is divided. `path` is the path that the call named. */
export function listOf(tool: string, path = '.'): FileList | undefined {
  if (tool === 'find_files') return PATHS;
  if (tool === 'read_changes') return CHANGES;
  if (tool === 'list_directory') return { leavesOut: 'hidden', separator: '\n', split: (text) => treeLines(text, path) };
  return GROUPED.has(tool) ? GROUPS : undefined;
}

/** Returns how the content of a mention is divided. The output of a terminal does not show which files it came from. */
export function listOfMention({ kind, path }: MentionRef): FileList | undefined {
  if (kind === 'folder') return listOf('list_directory', path);
  if (kind === 'problems') return GROUPS;
  return kind === 'changes' ? CHANGES : undefined;
}

/** A name that stands for any file in a directory. A directory is judged by this name, because some rules match directories only. */
const ANY_FILE = '-';

/** Reads the tree of `list_directory`, in which two spaces are one level. */
function treeLines(text: string, base: string): Piece[] {
  const above: string[] = [];
  return text.split('\n').map((line) => {
    const level = Math.floor((line.length - line.trimStart().length) / 2);
    const name = line.slice(2 * level).replace(/ \((?:link|empty|ignored|\d[^()]* files?)\)$/, '');
    above.splice(level, above.length, name.replace(/\/$/, ''));
    const path = [...(base === '.' ? [] : [base]), ...above].join('/');
    return { text: line, path: name.endsWith('/') ? `${path}/${ANY_FILE}` : path };
  });
}

const FOLDER = /^Changes in (.+):$/;
const DIFF = /^diff --git (.*)$/;
/** A path that does not exist, for a file whose name cannot be read. */
const UNKNOWN = '\0';

/** Parses the content of `@changes`: diffs, and the names of untracked files. Each line of a diff begins with a sign. */
function changedFiles(text: string): Piece[] {
  const pieces: Piece[] = [];
  let folder = '';
  let isNames = false;
  let path: string | undefined;
  for (const line of text.split('\n')) {
    const [, named] = FOLDER.exec(line) ?? [];
    const [, sides] = DIFF.exec(line) ?? [];
    if (named !== undefined) folder = `${named}/`;
    if (named !== undefined || line === '') isNames = false;
    if (named !== undefined || line === 'Untracked files:') path = undefined;
    if (sides !== undefined) path = folder + sidePath(sides);
    pieces.push({ text: line, ...(isNames ? { path: folder + line } : path !== undefined && { path }) });
    if (line === 'Untracked files:') isNames = true;
  }
  return pieces;
}

/** Returns the path in `a/PATH b/PATH`. Both are the same, because renames are not detected. */
function sidePath(sides: string): string {
  const path = sides.slice(2, 2 + (sides.length - 5) / 2);
  return sides === `a/${path} b/${path}` ? path : UNKNOWN;
}
