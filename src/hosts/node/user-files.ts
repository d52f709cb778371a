/** The user's own folder of Kedge, beside the configuration file: prompt files, skills and hooks for all workspaces. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileSystem } from '../../workspace/types.ts';
import { configFile } from './config-path.ts';
import { NodeFileSystem } from './files/file-system.ts';

/** @throws Error when the home directory is unknown. */
export function userFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return dirname(configFile(env));
}

/** Returns a directory in the user's folder, or undefined if there is none. The directory itself may be a link. */
export function userFiles(kind: 'prompts' | 'skills', env?: Readonly<Record<string, string | undefined>>): FileSystem | undefined {
  try {
    const directory = join(userFolder(env), kind);
    return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? new NodeFileSystem([directory]) : undefined;
  } catch {
    return undefined;
  }
}
