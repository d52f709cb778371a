/** Creates the directories that Kedge stores its data in, and replaces files in them. */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents. Node's recursive mkdir never returns on file systems that report "not found" when a file cannot be
 * created in an existing directory, such as /proc and automounted directories.
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

/**
 * Replaces a file in one step, so that no reader sees a partial file. On a network drive, it may be impossible to replace a file that
 * another program has open. The file then keeps its content, and no temporary file remains. @throws Error of the file system
 */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    makeDirectory(dirname(file));
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
