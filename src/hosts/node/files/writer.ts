/**
 * Writes files so that a failure, a full disk or a crash leaves either the complete change or none of it. The writer first creates
 * everything that needs disk space: temporary files with the new contents, and hard links to the old contents. Then it renames files.
 * Each rename is atomic, and undoing it needs no space. The journal records the change before it begins.
 */
import nodeFs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sameBytes } from '../../../workspace/content.ts';
import { type FileChange, type Location, NothingWritten, type Writer } from '../../../workspace/types.ts';
import {
  type Entry,
  exists,
  type FileOps,
  hashAt,
  hashOfBytes,
  ignoreErrors,
  Journal,
  missingAncestors,
  type OpenJournal,
  removeLeftovers,
  type Step,
  syncDirectory,
  undoChange,
} from './writer-journal.ts';

export type NodeWriterOptions = {
  /** The directory of the journal, outside the workspace. Without a journal, a change that a crash interrupts cannot be undone. */
  journal?: string;
  fs?: FileOps;
};

type Planned = { change: FileChange; step: Step; mode: number | undefined; current: nodeFs.Stats | undefined; isTried?: boolean };

/** The error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL']);

export class NodeWriter implements Writer {
  readonly #places: { absolute(at: Location): string };
  readonly #fs: FileOps;
  readonly #journal: Journal | undefined;
  /** Directories that this writer created. They are removed together with their last file. */
  readonly #createdDirectories = new Set<string>();

  constructor(places: { absolute(at: Location): string }, { journal, fs = nodeFs }: NodeWriterOptions = {}) {
    this.#places = places;
    this.#fs = fs;
    this.#journal = journal === undefined ? undefined : new Journal(fs, journal);
  }

  /** Undoes changes that a crash interrupted. */
  async recover(): Promise<void> {
    this.#journal?.recover();
  }

  /**
   * Lets one process write at a time, because a write by another process between the last check of a file and its rename would go
   * unnoticed.
   */
  async commit(changes: readonly FileChange[]): Promise<void> {
    const release = await this.#journal?.lock();
    try {
      this.#commit(changes);
    } finally {
      release?.();
    }
  }

  #commit(changes: readonly FileChange[]): void {
    const planned: Planned[] = [];
    let entry: Entry;
    try {
      for (const change of changes) planned.push(this.#plan(change, changes));
      const directories = planned.flatMap(({ step }) =>
        step.directory ? (step.after === undefined ? [] : [step.file]) : step.temporary ? [dirname(step.file)] : [],
      );
      entry = { made: [...new Set(directories.flatMap((directory) => this.#missing(directory)))], steps: planned.map(({ step }) => step) };
      this.#carryOut(planned, entry);
    } catch (error) {
      throw this.#isUntouched(planned) ? new NothingWritten(error instanceof Error ? error.message : String(error)) : error;
    }
    for (const directory of entry.made)
      if (!planned.some(({ step }) => step.directory && step.file === directory)) this.#createdDirectories.add(directory);
    for (const { step } of planned) this.#removeEmptyDirectories(dirname(step.file));
  }

  /**
   * Returns true if this change left all files as they were: not written, or restored. Any other content then comes from another program.
   */
  #isUntouched(planned: readonly Planned[]): boolean {
    try {
      return planned.every(({ step: { file, directory, before }, isTried }) =>
        directory ? exists(this.#fs, file) === (before !== undefined) : !isTried || hashAt(this.#fs, file) === before,
      );
    } catch {
      return false;
    }
  }

  #carryOut(planned: readonly Planned[], entry: Entry): void {
    const journal = this.#journal?.begin(entry, isOrdered(entry));
    try {
      this.#carryOutIn(planned, entry, journal);
    } finally {
      journal?.leave();
    }
  }

  #carryOutIn(planned: readonly Planned[], entry: Entry, journal: OpenJournal | undefined): void {
    try {
      for (const directory of entry.made) this.#fs.mkdirSync(directory);
      for (const each of planned) this.#prepare(each);
      for (const each of planned) this.#putInPlace(each);
      if (isOrdered(entry)) {
        const directories = new Set(entry.steps.map(({ file }) => dirname(file)));
        for (const directory of directories) if (exists(this.#fs, directory)) syncDirectory(this.#fs, directory);
      }
      journal?.commit();
    } catch (error) {
      // If the change cannot be undone now, it stays in the journal.
      ignoreErrors(() => {
        undoChange(this.#fs, entry);
        journal?.end();
      });
      throw error;
    }
    // The change is complete. If the disk fails now, the leftovers are removed by a later recovery.
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        removeLeftovers(this.#fs, entry);
        journal?.end();
        return;
      } catch {}
    }
  }

  /** Checks the path and chooses all file names without writing anything. */
  #plan(change: FileChange, changes: readonly FileChange[]): Planned {
    const { at, path, before, after, movedFrom } = change;
    const file = this.#places.absolute(at);
    const hashes = { ...(before && { before: hashOfBytes(before) }), ...(after && { after: hashOfBytes(after) }) };
    if (path.endsWith('/')) return { change, step: { file, directory: true, ...hashes }, mode: undefined, current: undefined };
    const current = this.#entry(file, path);
    if (current && !before) throw new Error(`${path} has been created by another program. Check its content and try again.`);
    if (!current && before) throw new Error(`${path} was deleted. Try again.`);
    // A rename would replace the file although it is marked as read-only.
    if (after && current && !(current.mode & 0o200)) throw new Error(`${path} is read-only. Make it writable, and try again.`);
    const source = changes.find((other) => other.path === movedFrom);
    const mode = current?.mode ?? (source && this.#entry(this.#places.absolute(source.at), source.path)?.mode) ?? change.mode;
    const beside = (kind: string) => join(dirname(file), `.${basename(file).slice(0, 100)}.${crypto.randomUUID().slice(0, 8)}.${kind}`);
    const step: Step = { file, ...(after && { temporary: beside('tmp') }), ...(before && { backup: beside('old') }), ...hashes };
    return { change, step, mode, current };
  }

  #missing(directory: string): string[] {
    const missing = missingAncestors(this.#fs, directory);
    this.#expectReal(missing[0] === undefined ? directory : dirname(missing[0]), directory);
    return missing;
  }

  /** @throws Error when there is a symbolic link on the path, because the write would go to its target. */
  #expectReal(directory: string, shown = directory): void {
    if (this.#fs.realpathSync.native(directory) !== directory)
      throw new Error(`${shown} was moved, or a symbolic link replaced it. Try again.`);
  }

  #prepare({ change: { path, before, after }, step, mode, current }: Planned): void {
    const { file, temporary, backup, directory } = step;
    if (directory) return;
    if (temporary && after) {
      this.#expectReal(dirname(file));
      this.#write(temporary, after, mode, current);
    }
    if (!current || !backup) return;
    if (temporary) this.#backUp(file, backup);
    if (!sameBytes(this.#fs.readFileSync(temporary ? backup : file), before)) throw new Error(`${path} was changed just now. Try again.`);
  }

  #write(temporary: string, bytes: Uint8Array, mode: number | undefined, owner: nodeFs.Stats | undefined): void {
    const fs = this.#fs;
    const handle = fs.openSync(temporary, 'wx');
    try {
      fs.writeFileSync(handle, bytes);
      if (owner) ignoreErrors(() => fs.fchownSync(handle, owner.uid, owner.gid));
      if (mode !== undefined) fs.fchmodSync(handle, mode & 0o7777);
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  /** Backs up the old content by a hard link, which needs no disk space, or else by a copy. */
  #backUp(file: string, backup: string): void {
    try {
      this.#fs.linkSync(file, backup);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      this.#fs.copyFileSync(file, backup, nodeFs.constants.COPYFILE_EXCL);
    }
  }

  #putInPlace(planned: Planned): void {
    const { change, step, current } = planned;
    const { file, directory, temporary, backup, after } = step;
    const { path } = change;
    const fs = this.#fs;
    if (directory) {
      if (after === undefined) fs.rmdirSync(file);
      return;
    }
    const now = this.#entry(file, path);
    if (now?.ino !== current?.ino || now?.mtimeMs !== current?.mtimeMs || now?.size !== current?.size)
      throw new Error(
        current
          ? `${path} was changed just now. Try again.`
          : `${path} has been created by another program. Check its content and try again.`,
      );
    planned.isTried = true;
    if (!temporary || current) {
      fs.renameSync(temporary ?? file, temporary ? file : (backup as string));
      return;
    }
    try {
      // `linkSync` fails if another program creates the file at the same moment. A rename would overwrite that file.
      fs.linkSync(temporary, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Error(`${path} has been created by another program. Check its content and try again.`);
      if (!NO_LINKS.has(code ?? '')) throw error;
      fs.renameSync(temporary, file);
    }
  }

  /** Returns the entry at the path itself, without following a symbolic link. */
  #entry(file: string, path: string): nodeFs.Stats | undefined {
    const stats = this.#fs.lstatSync(file, { throwIfNoEntry: false });
    if (stats && !stats.isFile()) throw new Error(`${path} is not a file. Use the path of a file.`);
    return stats;
  }

  /** Removes empty directories that this writer created. */
  #removeEmptyDirectories(directory: string): void {
    for (let at = directory; this.#createdDirectories.has(at); at = dirname(at)) {
      try {
        this.#fs.rmdirSync(at);
      } catch {
        return;
      }
      this.#createdDirectories.delete(at);
    }
  }
}

/** Returns true if the renames must reach the disk in order. A single rename is atomic even when the computer crashes. */
function isOrdered({ steps }: Entry): boolean {
  return steps.length > 1;
}
