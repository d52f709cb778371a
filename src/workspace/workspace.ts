/** The read side of the workspace as tools see it: paths as the model writes them, resolved to real places. */
import { decodeMarks } from '../core/words/visible-text.ts';
import { formatPath, PathError, parsePath, relativePath } from './paths.ts';
import type { FileBytes, FileStat, FileSystem, Location, SearchHit, SearchQuery } from './types.ts';

export type Resolved = { at: Location; path: string };

/** More than an editor would open, and than a model could do anything with. */
const MAX_READ = 100_000_000;

/** Tells which files need the user's approval to be read, by the rules at that moment. `call` is the tool that is about to look into many files. */
export type WithheldFilter = (call?: string) => (path: string) => boolean;

export class Workspace {
  readonly fs: FileSystem;
  readonly #withheldFilter: WithheldFilter;
  readonly #note: ((path: string) => void) | undefined;

  constructor(fs: FileSystem, withheldFilter: WithheldFilter = () => () => false, note?: (path: string) => void) {
    this.fs = fs;
    this.#withheldFilter = withheldFilter;
    this.#note = note;
  }

  /** The same workspace. It reports to `note` each file that is read although reading it needs an approval. */
  noting(note: (path: string) => void): Workspace {
    return new Workspace(this.fs, this.#withheldFilter, note);
  }

  /** Tells which files no result may depend on, unless the user approved reading them. */
  withheldFiles(call?: string): (at: Location) => boolean {
    const needsApproval = this.#withheldFilter(call);
    return (at) => (this.fs.hides?.(at) ?? false) || needsApproval(this.display(at));
  }

  /** Lines that match. Withheld files are left out before the search: leaving out hits afterwards would tell that there are some. */
  search(query: SearchQuery, signal: AbortSignal): AsyncIterable<SearchHit> {
    return this.fs.search({ ...query, hides: this.withheldFiles('search_text') }, signal);
  }

  /** Announces a file that the call reads unless an earlier one keeps it from that, so that the announced files do not depend on any content. */
  async willRead(at: Location): Promise<void> {
    if (this.#note && this.withheldFiles()(at) && (await this.fs.stat(at))?.type === 'file') this.#note(this.display(at));
  }

  /** The real place that `input` names, after links. @throws PathError where that is not in the workspace. */
  async resolve(input: string): Promise<Resolved> {
    const at = await this.fs.canonical(await this.named(input));
    if (!at) throw new PathError(`${input} leads outside the workspace through a symbolic link.`);
    return { at, path: this.display(at) };
  }

  /** The place that `input` names, before links are followed. It may be copied from a listing, which marks invisible characters. @throws PathError */
  async named(input: string): Promise<Location> {
    const named = parsePath(input, this.fs.folders);
    const decoded = decodeMarks(input);
    return decoded === input || (await this.fs.stat(named)) ? named : parsePath(decoded, this.fs.folders);
  }

  /** As `resolve`, for what is to be moved or deleted: a symbolic link is not followed silently to the file behind it. */
  async resolveEntry(input: string): Promise<Resolved> {
    const resolved = await this.resolve(input);
    const stat = await this.fs.stat(await this.named(input));
    if (stat?.link) throw new PathError(`${input} is a symbolic link to ${resolved.path}. Name that file itself.`);
    return resolved;
  }

  display(at: Location): string {
    return formatPath(at, this.fs.folders);
  }

  /** A glob as the model writes it: with several folders, one that begins with a folder's name is meant for that folder. */
  scope(glob: string): { include: string; folder?: number } {
    const named = relativePath(glob, this.fs.folders);
    const clean = named === '.' ? '**' : named.replace(/^\.?\//, '');
    if (this.fs.folders.length < 2) return { include: clean };
    const folder = this.fs.folders.findIndex(({ name }) => clean === name || clean.startsWith(`${name}/`));
    if (folder < 0) return { include: clean };
    return { include: clean.slice((this.fs.folders[folder]?.name.length ?? 0) + 1) || '**', folder };
  }

  /** `at` is a resolved place. @throws PathError when a link was put on the way to it since. */
  async stat(at: Location): Promise<FileStat | undefined> {
    const real = await this.fs.canonical(at);
    if (real?.folder !== at.folder || real.path !== at.path)
      throw new PathError(`${this.display(at)} is no longer at that place: it was moved, or a link was put on the way to it.`);
    return this.fs.stat(at);
  }

  /** The file as it is now, open unsaved documents before the disk; undefined when there is none. */
  async snapshot(at: Location): Promise<FileBytes | undefined> {
    const stat = await this.stat(at);
    if (!stat) return undefined;
    if (stat.type !== 'file')
      throw new PathError(`${this.display(at)} is not a file${stat.type === 'directory' ? ' but a directory' : ''}.`);
    await this.willRead(at);
    if (stat.size > MAX_READ)
      throw new PathError(`${this.display(at)} has ${Math.round(stat.size / 1_000_000)} MB, which is too much to read.`);
    try {
      return await this.fs.read(at);
    } catch (error) {
      if (!/^(EACCES|EPERM|NoPermissions)$/.test((error as { code?: string }).code ?? '')) throw error;
      throw new PathError(`${this.display(at)} cannot be read: permission denied.`);
    }
  }
}
