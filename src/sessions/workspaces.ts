/**
 * The workspaces whose sessions are stored on this computer. Each has its own directory, with a file that lists the folders, because the
 * name of the directory contains only a hash of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { replaceFile } from './directory.ts';

const FILE = 'workspace.json';

/**
 * `key` is the name of the directory, and `sessions` is where its logs are. `folders` are real paths; the list is empty if the data was
 * stored by a version that did not record them. `name` is for display.
 */
export type StoredWorkspace = { key: string; sessions: string; name: string; folders: readonly string[] };

/**
 * `directory` contains the storage of each workspace, and `key` is the name of this workspace's directory in it, if there is one. `folders`
 * are the real paths of this workspace.
 */
export type WorkspacePlaces = { directory: string; key?: string; folders: readonly string[] };

/** Records the folders of this workspace. If that fails, its sessions are listed under the name of its directory. */
export function rememberFolders({ directory, key, folders }: WorkspacePlaces): void {
  if (key === undefined) return;
  const storage = join(directory, key);
  if (foldersIn(storage).join('\0') === folders.join('\0')) return;
  try {
    replaceFile(join(storage, FILE), JSON.stringify({ folders }));
  } catch {}
}

/** @param directory the directory that contains the storage of all workspaces */
export function storedWorkspaces(directory: string): StoredWorkspace[] {
  return directoriesIn(directory).map((key) => {
    const folders = foldersIn(join(directory, key));
    const names = folders.map((folder) => basename(folder) || folder);
    return { key, sessions: join(directory, key, 'sessions'), name: names.join(', ') || key.replace(/-[0-9a-f]{12}$/, ''), folders };
  });
}

function foldersIn(storage: string): string[] {
  try {
    const { folders } = JSON.parse(readFileSync(join(storage, FILE), 'utf8')) as { folders?: unknown };
    const isList = Array.isArray(folders) && folders.every((each) => typeof each === 'string' && isAbsolute(each));
    return isList ? (folders as string[]) : [];
  } catch {
    return [];
  }
}

function directoriesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
