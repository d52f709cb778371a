/** Applies VS Code's `files.exclude`: excluded files do not appear in lists and searches, but can still be read by path. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { globMatcher } from '../../../policy/glob.ts';

type Rule = { matches(path: string): boolean; when?: string | undefined };

export type Excludes = {
  /** Returns true if a path, relative to the folder, is excluded. */
  hides(path: string): boolean;
  /** Arguments with which ripgrep skips excluded files, to save time. */
  without: string[];
};

export function excludesOf(folder: vscode.Uri, root: string): Excludes {
  const configured = vscode.workspace.getConfiguration('files', folder).get<Record<string, unknown>>('exclude') ?? {};
  const rules: Rule[] = [];
  const without: string[] = [];
  for (const [glob, value] of Object.entries(configured)) {
    const when = (value as { when?: unknown } | null)?.when;
    if (value !== true && typeof when !== 'string') continue;
    rules.push({ matches: globMatcher(glob, { dot: true }), when: typeof when === 'string' ? when : undefined });
    if (value === true && /^[\w./*-]+$/.test(glob)) without.push(`--glob=!${glob.startsWith('**/') ? '' : '/'}${glob}`);
  }
  const hiddenByDirectory = new Map<string, boolean>([['', false]]);
  const hidesItself = (path: string) =>
    rules.some(({ matches, when }) => matches(path) && (!when || existsSync(siblingOf(root, path, when))));
  const hidesDirectory = (path: string): boolean => {
    const isHidden = hiddenByDirectory.get(path) ?? (hidesDirectory(parentOf(path)) || hidesItself(path));
    hiddenByDirectory.set(path, isHidden);
    return isHidden;
  };
  return { hides: (path) => hidesDirectory(parentOf(path)) || hidesItself(path), without };
}

/** Resolves a `when` pattern such as `$(basename).ts` to the file in the same folder. */
function siblingOf(root: string, path: string, when: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return join(root, parentOf(path), when.replace('$(basename)', name));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
