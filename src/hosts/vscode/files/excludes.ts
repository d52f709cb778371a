/** The editor's `files.exclude`: what the user does not want to see is not found. It can still be read by its name. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { globMatcher } from '../../../policy/glob.ts';

type Rule = { matches(path: string): boolean; when?: string | undefined };

export type Excludes = {
  /** Judges a path relative to the folder. */
  hides(path: string): boolean;
  /** For ripgrep, to spare it what is hidden anyway. */
  without: string[];
};

export function excludesOf(folder: vscode.Uri, root: string): Excludes {
  const set = vscode.workspace.getConfiguration('files', folder).get<Record<string, unknown>>('exclude') ?? {};
  const rules: Rule[] = [];
  const without: string[] = [];
  for (const [glob, value] of Object.entries(set)) {
    const when = (value as { when?: unknown } | null)?.when;
    if (value !== true && typeof when !== 'string') continue;
    rules.push({ matches: globMatcher(glob, { dot: true }), when: typeof when === 'string' ? when : undefined });
    if (value === true && /^[\w./*-]+$/.test(glob)) without.push(`--glob=!${glob.startsWith('**/') ? '' : '/'}${glob}`);
  }
  const known = new Map<string, boolean>([['', false]]);
  const hidesItself = (path: string) =>
    rules.some(({ matches, when }) => matches(path) && (!when || existsSync(siblingOf(root, path, when))));
  const hidesDirectory = (path: string): boolean => {
    const found = known.get(path) ?? (hidesDirectory(parentOf(path)) || hidesItself(path));
    known.set(path, found);
    return found;
  };
  return { hides: (path) => hidesDirectory(parentOf(path)) || hidesItself(path), without };
}

/** `$(basename).ts` is the file of that name beside it. */
function siblingOf(root: string, path: string, when: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return join(root, parentOf(path), when.replace('$(basename)', name));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
