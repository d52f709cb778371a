/** Writes files so that a crash or a full disk leaves each as it was or as it shall be, never half. */
import { link, lstat, mkdir, open, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileChange, Location, Writer } from '../../workspace/types.ts';

type Prepared = { file: string; path: string; isNew: boolean; temporary?: string };

export class NodeWriter implements Writer {
  readonly #fs: { absolute(at: Location): string };
  /** Directories made here go with the last file in them. */
  readonly #made = new Set<string>();
  /** Modes of files deleted here, for when that is taken back. */
  readonly #modes = new Map<string, number>();

  constructor(fs: { absolute(at: Location): string }) {
    this.#fs = fs;
  }

  async commit(changes: readonly FileChange[]): Promise<void> {
    const prepared: Prepared[] = [];
    try {
      // All that needs room on the disk comes first; what is left then are renames.
      for (const change of changes) await this.#prepare(change, changes, prepared);
      for (const each of prepared) await this.#land(each);
    } finally {
      for (const { temporary, file } of prepared) {
        if (temporary) await rm(temporary, { force: true });
        await this.#tidy(dirname(file));
      }
    }
  }

  async #prepare({ at, path, before, after, movedFrom }: FileChange, changes: readonly FileChange[], prepared: Prepared[]): Promise<void> {
    const file = this.#fs.absolute(at);
    const current = await this.#entry(file, path);
    if (current && !before) throw new Error(`${path} exists by now.`);
    if (!current && before) throw new Error(`${path} is gone.`);
    const entry: Prepared = { file, path, isNew: !before };
    // Listed before it is done, so that half of it is tidied away.
    prepared.push(entry);
    if (!after) {
      if (current) this.#modes.set(file, current.mode);
      return;
    }
    // A rename would go over the mark that somebody set.
    if (current && !(current.mode & 0o200)) throw new Error(`${path} is read-only.`);
    const directory = dirname(file);
    await this.#makeDirectory(directory);
    if ((await realpath(directory)) !== directory) throw new Error(`${path} is no longer at that place.`);
    const source = changes.find((other) => other.path === movedFrom);
    const mode = current?.mode ?? (source ? (await this.#entry(this.#fs.absolute(source.at), source.path))?.mode : this.#modes.get(file));
    entry.temporary = join(directory, `.${basename(file).slice(0, 100)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
    const handle = await open(entry.temporary, 'wx');
    try {
      await handle.writeFile(after);
      if (current) await handle.chown(current.uid, current.gid).catch(() => undefined);
      if (mode !== undefined) await handle.chmod(mode & 0o7777);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async #land({ file, path, isNew, temporary }: Prepared): Promise<void> {
    const current = await this.#entry(file, path);
    if (!temporary) return unlink(file);
    if (!isNew) return rename(temporary, file);
    if (current) throw new Error(`${path} exists by now.`);
    try {
      // Unlike a rename, this fails if somebody creates the file at this very moment.
      await link(temporary, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new Error(`${path} exists by now.`);
      await rename(temporary, file);
    }
  }

  /** What is at the place itself: a link there is never followed. */
  async #entry(file: string, path: string): Promise<{ mode: number; uid: number; gid: number } | undefined> {
    const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found && !found.isFile()) throw new Error(`${path} is not a file.`);
    return found;
  }

  async #makeDirectory(directory: string): Promise<void> {
    const first = await mkdir(directory, { recursive: true });
    if (first === undefined) return;
    for (let made = directory; made.length >= first.length; made = dirname(made)) this.#made.add(made);
  }

  /** Removes directories that were made here and hold nothing any more. */
  async #tidy(directory: string): Promise<void> {
    for (let at = directory; this.#made.has(at); at = dirname(at)) {
      try {
        await rmdir(at);
      } catch {
        return;
      }
      this.#made.delete(at);
    }
  }
}
