/** Read access to the workspace for tools. It resolves paths written by the model to real locations. */
import { decodeMarks } from '../core/words/visible-text.ts';
import { formatPath, PathError, parsePath, relativePath } from './paths.ts';
import type { FileBytes, FileStat, FileSystem, Location, SearchHit, SearchQuery } from './types.ts';

export type Resolved = { at: Location; path: string };

/** The largest file that can be read, in bytes. Larger files are too big for an editor and for a model. */
const MAX_READ = 100_000_000;

/**
 * Returns a filter for the files that may only be read with the user's approval, by the current rules. `call` names the tool that is about
 * to search many files.
 */
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

  /** Returns a workspace that calls `note` for each file that is read although reading it needs approval. */
  withReadNotes(note: (path: string) => void): Workspace {
    return new Workspace(this.fs, this.#withheldFilter, note);
  }

  /** Returns a filter for the files that must not affect any result unless the user approved reading them. */
  withheldFiles(call?: string): (at: Location) => boolean {
    const needsApproval = this.#withheldFilter(call);
    return (at) => (this.fs.hides?.(at) ?? false) || needsApproval(this.display(at));
  }

  /** Works like `withheldFiles`, with absolute paths. These may be outside the workspace. */
  withheldPaths(call?: string): (path: string) => boolean {
    const isWithheld = this.withheldFiles(call);
    const needsApproval = this.#withheldFilter(call);
    return (path) => {
      try {
        return isWithheld(parsePath(path, this.fs.folders));
      } catch (error) {
        if (error instanceof PathError) return needsApproval(path);
        throw error;
      }
    };
  }

  /**
   * Searches for matching lines. Withheld files are excluded before the search, because removing their hits afterwards would reveal that they exist.
   */
  search(query: SearchQuery, signal: AbortSignal): AsyncIterable<SearchHit> {
    return this.fs.search({ ...query, hides: this.withheldFiles('search_text') }, signal);
  }

  /**
   * Reports a file that needs approval. Call this for every file before the first one is read, so that the reported files do not depend
   * on file contents, even if reading an earlier file fails.
   */
  async willRead(at: Location): Promise<void> {
    if (this.#note && this.withheldFiles()(at) && (await this.fs.stat(at))?.type === 'file') this.#note(this.display(at));
  }

  /** Resolves a path including symbolic links. @throws PathError when the result is outside the workspace. */
  async resolve(input: string): Promise<Resolved> {
    const at = await this.fs.canonical(await this.locate(input));
    if (!at) throw new PathError(`${input} leads outside the workspace through a symbolic link. Use a path in the workspace.`);
    return { at, path: this.display(at) };
  }

  /**
   * Locates a path without following symbolic links. A path copied from a tool result may contain marks for invisible characters. @throws
   * PathError
   */
  async locate(input: string): Promise<Location> {
    const named = parsePath(input, this.fs.folders);
    const decoded = decodeMarks(input);
    return decoded === input || (await this.fs.stat(named)) ? named : parsePath(decoded, this.fs.folders);
  }

  /**
   * Resolves a path that is to be moved or deleted. A symbolic link is refused, so that its target is not changed by accident. @throws
   * PathError
   */
  async resolveEntry(input: string): Promise<Resolved> {
    const resolved = await this.resolve(input);
    const stat = await this.fs.stat(await this.locate(input));
    if (stat?.link) throw new PathError(`${input} is a symbolic link to ${resolved.path}. Use the path of that file.`);
    return resolved;
  }

  display(at: Location): string {
    return formatPath(at, this.fs.folders);
  }

  /** Parses a glob written by the model. With several folders, a glob that begins with the name of a folder applies to that folder. */
  scope(glob: string): { include: string; folder?: number } {
    const named = relativePath(glob, this.fs.folders);
    const clean = named === '.' ? '**' : named.replace(/^\.?\//, '');
    if (this.fs.folders.length < 2) return { include: clean };
    const folder = this.fs.folders.findIndex(({ name }) => clean === name || clean.startsWith(`${name}/`));
    if (folder < 0) return { include: clean };
    return { include: clean.slice((this.fs.folders[folder]?.name.length ?? 0) + 1) || '**', folder };
  }

  /** `at` must be a resolved location. @throws PathError when its path has changed since it was resolved. */
  async stat(at: Location): Promise<FileStat | undefined> {
    const real = await this.fs.canonical(at);
    if (real?.folder !== at.folder || real.path !== at.path)
      throw new PathError(`${this.display(at)} no longer leads to the same place. Check the path and try again.`);
    return this.fs.stat(at);
  }

  /**
   * Returns the current content of a file, including unsaved changes in an open document. Returns undefined when the file does not exist.
   * @throws PathError when it cannot be read.
   */
  async snapshot(at: Location): Promise<FileBytes | undefined> {
    const stat = await this.stat(at);
    if (!stat) return undefined;
    if (stat.type !== 'file')
      throw new PathError(`${this.display(at)} is not a file${stat.type === 'directory' ? ' but a directory' : ''}.`);
    await this.willRead(at);
    if (stat.size > MAX_READ)
      throw new PathError(
        `${this.display(at)} is too large to read (${Math.round(stat.size / 1_000_000)} MB). Use a file of at most 100 MB.`,
      );
    try {
      return await this.fs.read(at);
    } catch (error) {
      if (!/^(EACCES|EPERM|NoPermissions)$/.test((error as { code?: string }).code ?? '')) throw error;
      throw new PathError(`${this.display(at)} cannot be read: permission denied. Check its permissions.`);
    }
  }
}
