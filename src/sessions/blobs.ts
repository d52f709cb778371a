/** Stores file contents by hash, for undo and restore, in the host's storage directory outside the workspace. */
import { readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashOf } from '../workspace/content.ts';
import type { BlobStore } from '../workspace/types.ts';
import { makeDirectory } from './directory.ts';

export class DiskBlobs implements BlobStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const hash = await hashOf(bytes);
    const file = this.#file(hash);
    if (await this.get(hash)) {
      // The content is needed again, so its age is reset for pruning.
      await utimes(file, new Date(), new Date()).catch(() => undefined);
      return hash;
    }
    makeDirectory(dirname(file));
    // The file is renamed into place so that an interrupted write never leaves a partial file under a valid hash.
    const temporary = `${file}.${crypto.randomUUID()}`;
    try {
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return hash;
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(this.#file(hash)).catch(() => undefined);
    // Damaged content must not be restored into the user's files.
    return bytes && (await hashOf(bytes)) === hash ? bytes : undefined;
  }

  #file(hash: string): string {
    return join(this.#directory, hash.slice(0, 2), hash);
  }
}
