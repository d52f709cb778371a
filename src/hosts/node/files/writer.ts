/**
 * Writes files so that a failure, a full disk or a crash leaves all of a change or nothing of it. What needs room on the disk comes first: the
 * new contents beside the files, and second names for the old ones. What is left then are renames, each of which happens or does not, and
 * which need no room to be taken back. The journal knows of all of it before it begins.
 */
import * as nodeFs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sameBytes } from '../../../workspace/content.ts';
import { type FileChange, type Location, NothingWritten, type Writer } from '../../../workspace/types.ts';
import {
  type Entry,
  exists,
  type FileOps,
  hashAt,
  hashOfBytes,
  Journal,
  missingAncestors,
  type OpenJournal,
  quietly,
  removeLeftovers,
  type Step,
  syncDirectory,
  takeBack,
} from './writer-journal.ts';

export type NodeWriterOptions = {
  /** The directory of the journal, outside of the workspace. Without one, a crash in the middle of a change is not taken back. */
  journal?: string;
  fs?: FileOps;
};

type Planned = { change: FileChange; step: Step; mode: number | undefined; current: nodeFs.Stats | undefined; isTried?: boolean };

/** A file system without second names for files says so in one of these ways. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL']);

export class NodeWriter implements Writer {
  readonly #places: { absolute(at: Location): string };
  readonly #fs: FileOps;
  readonly #journal: Journal | undefined;
  /** Directories made here go with the last file in them. */
  readonly #made = new Set<string>();

  constructor(places: { absolute(at: Location): string }, { journal, fs = nodeFs }: NodeWriterOptions = {}) {
    this.#places = places;
    this.#fs = fs;
    this.#journal = journal === undefined ? undefined : new Journal(fs, journal);
  }

  /** Takes back what a crash interrupted. */
  async recover(): Promise<void> {
    this.#journal?.recover();
  }

  /** Of several programs in one workspace, one at a time: between the last look at a file and its rename another one could not be seen. */
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
      if (!planned.some(({ step }) => step.directory && step.file === directory)) this.#made.add(directory);
    for (const { step } of planned) this.#tidyDirectories(dirname(step.file));
  }

  /** Where it did not come to a file, or took back what it did, what is there is what was there, or somebody else's. */
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
      for (const each of planned) this.#land(each);
      if (isOrdered(entry)) {
        const directories = new Set(entry.steps.map(({ file }) => dirname(file)));
        for (const directory of directories) if (exists(this.#fs, directory)) syncDirectory(this.#fs, directory);
      }
      journal?.commit();
    } catch (error) {
      // What cannot be taken back now is in the journal.
      quietly(() => {
        takeBack(this.#fs, entry);
        journal?.end();
      });
      throw error;
    }
    // The change stands. Should the disk fail now, the rest is tidied up another time.
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        removeLeftovers(this.#fs, entry);
        journal?.end();
        return;
      } catch {}
    }
  }

  /** Judges the place and names all that will be needed, without touching anything. */
  #plan(change: FileChange, changes: readonly FileChange[]): Planned {
    const { at, path, before, after, movedFrom } = change;
    const file = this.#places.absolute(at);
    const hashes = { ...(before && { before: hashOfBytes(before) }), ...(after && { after: hashOfBytes(after) }) };
    if (path.endsWith('/')) return { change, step: { file, directory: true, ...hashes }, mode: undefined, current: undefined };
    const current = this.#entry(file, path);
    if (current && !before) throw new Error(`${path} exists by now.`);
    if (!current && before) throw new Error(`${path} is gone.`);
    // A rename would go over the mark that somebody set.
    if (after && current && !(current.mode & 0o200)) throw new Error(`${path} is read-only.`);
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

  /** No link on the way: what is behind it would be written to. */
  #expectReal(directory: string, shown = directory): void {
    if (this.#fs.realpathSync.native(directory) !== directory) throw new Error(`${shown} is no longer at that place.`);
  }

  #prepare({ change: { path, before, after }, step, mode, current }: Planned): void {
    const { file, temporary, backup, directory } = step;
    if (directory) return;
    if (temporary && after) {
      this.#expectReal(dirname(file));
      this.#write(temporary, after, mode, current);
    }
    if (!current || !backup) return;
    if (temporary) this.#keep(file, backup);
    if (!sameBytes(this.#fs.readFileSync(temporary ? backup : file), before)) throw new Error(`${path} was changed just now.`);
  }

  #write(temporary: string, bytes: Uint8Array, mode: number | undefined, owner: nodeFs.Stats | undefined): void {
    const fs = this.#fs;
    const handle = fs.openSync(temporary, 'wx');
    try {
      fs.writeFileSync(handle, bytes);
      if (owner) quietly(() => fs.fchownSync(handle, owner.uid, owner.gid));
      if (mode !== undefined) fs.fchmodSync(handle, mode & 0o7777);
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  /** A second name for the old content costs no room; a copy does, where there are no such names. */
  #keep(file: string, backup: string): void {
    try {
      this.#fs.linkSync(file, backup);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      this.#fs.copyFileSync(file, backup, nodeFs.constants.COPYFILE_EXCL);
    }
  }

  #land(planned: Planned): void {
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
      throw new Error(current ? `${path} was changed just now.` : `${path} exists by now.`);
    planned.isTried = true;
    if (!temporary || current) {
      fs.renameSync(temporary ?? file, temporary ? file : (backup as string));
      return;
    }
    try {
      // Unlike a rename, this fails if somebody creates the file at this very moment.
      fs.linkSync(temporary, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Error(`${path} exists by now.`);
      if (!NO_LINKS.has(code ?? '')) throw error;
      fs.renameSync(temporary, file);
    }
  }

  /** What is at the place itself: a link there is never followed. */
  #entry(file: string, path: string): nodeFs.Stats | undefined {
    const found = this.#fs.lstatSync(file, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw new Error(`${path} is not a file.`);
    return found;
  }

  /** Removes directories that were made here and hold nothing any more. */
  #tidyDirectories(directory: string): void {
    for (let at = directory; this.#made.has(at); at = dirname(at)) {
      try {
        this.#fs.rmdirSync(at);
      } catch {
        return;
      }
      this.#made.delete(at);
    }
  }
}

/** One rename happens or does not, whatever becomes of the computer; several need their order kept on the disk. */
function isOrdered({ steps }: Entry): boolean {
  return steps.length > 1;
}
