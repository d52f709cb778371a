/** The user's own folder of Kedge, beside the configuration file: prompt files, skills and hooks for all workspaces. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileSystem } from '../../workspace/types.ts';
import { configFile } from './config-path.ts';
import { NodeFileSystem } from './files/file-system.ts';
import { packageDirectories } from './sharing/registry.ts';

/** @throws Error when the home directory is unknown. */
export function userFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return dirname(configFile(env));
}

/** Returns the directories in the user's folder and in installed packages, or undefined if there are none. The directories themselves may be links. */
export function userFiles(kind: 'prompts' | 'skills', env?: Readonly<Record<string, string | undefined>>): FileSystem | undefined {
  try {
    const folder = userFolder(env);
    const directories = [folder, ...packageDirectories(folder)].map((each) => join(each, kind));
    const present = directories.filter((directory) => statSync(directory, { throwIfNoEntry: false })?.isDirectory());
    return present.length > 0 ? new NodeFileSystem(present) : undefined;
  } catch {
    return undefined;
  }
}
