/** Directories of Kedge's own. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory with all those above it. Node's own recursion never ends where a parent is there and nothing can be made in it, which some
 * file systems call "not there": /proc, and mounts that are made on demand.
 * @throws Error of the file system
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === 'ENOENT' && parent !== path && !isThere(parent)) {
      makeDirectory(parent);
      makeDirectory(path);
    } else if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
