/** Creates the directories that Kedge stores its data in. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents. Node's recursive mkdir never returns on file systems that report "not found" for an existing
 * directory in which nothing can be created, such as /proc and automounted directories.
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
