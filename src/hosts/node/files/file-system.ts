/** Provides folders on disk to the workspace. */
import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { formatPath, innermost, PathError, uniqueNames } from '../../../workspace/paths.ts';
import type { FileBytes, FileStat, FileSystem, FindQuery, Folder, Location, SearchHit, SearchQuery } from '../../../workspace/types.ts';
import { findInFolders, searchInFolders } from './folders.ts';
import { type DirectoryEntry, expectReal, listReal, readReal, readRealRange, targetOf } from './real-files.ts';

export type NodeFileSystemOptions = {
  /** Returns the path of ripgrep, and is called for each search. Without ripgrep, folders are searched in this process. */
  ripgrep?: () => Promise<string | undefined>;
};

const MAX_LINKS = 40;

/** Opening a folder does not search in it, so the code is loaded with the first search. */
const loadRipgrep = () => import('../search/ripgrep.ts');

export class NodeFileSystem implements FileSystem {
  readonly folders: readonly (Folder & { root: string })[];
  readonly #ripgrep: () => Promise<string | undefined>;

  /** @throws Error when one of the folders does not exist. */
  constructor(folders: readonly string[], { ripgrep = onPath() }: NodeFileSystemOptions = {}) {
    const opened = folders.map((folder) => resolve(folder));
    const real = opened.map((folder) => realpathSync.native(folder));
    const roots = [...new Set(real)];
    const names = uniqueNames(roots.map((root) => basename(root) || 'root'));
    const spellings = (root: string) => [...new Set([root, ...opened.filter((_, index) => real[index] === root)])];
    this.folders = roots.map((root, index) => ({ root, name: names[index] as string, roots: spellings(root) }));
    this.#ripgrep = ripgrep;
  }

  absolute({ folder, path }: Location): string {
    const root = this.folders[folder]?.root;
    if (root === undefined) throw new Error('The folder is not open in this workspace.');
    return join(root, path);
  }

  /** Returns the directory on disk for a command. @throws PathError when a symbolic link was put on its path. */
  directory(at: Location): string {
    const path = this.absolute(at);
    expectReal(path, this.#shown(at));
    return path;
  }

  async canonical(at: Location): Promise<Location | undefined> {
    expectName(at.path);
    const real = realPath(this.absolute(at));
    return real === undefined ? undefined : this.#locate(real);
  }

  async stat(at: Location): Promise<FileStat | undefined> {
    const path = this.absolute(at);
    const entry = orMissing(() => lstatSync(path));
    if (!entry) return undefined;
    const link = entry.isSymbolicLink();
    const stats = (link && targetOf(path)) || entry;
    return {
      type: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
      size: stats.size,
      link,
      mode: stats.mode & 0o7777,
    };
  }

  async read(at: Location): Promise<FileBytes> {
    return { bytes: await readReal(this.absolute(at), this.#shown(at)), unsaved: false };
  }

  async readRange(at: Location, from: number, length: number): Promise<Uint8Array> {
    return readRealRange(this.absolute(at), this.#shown(at), from, length);
  }

  async list(at: Location): Promise<DirectoryEntry[]> {
    return listReal(this.absolute(at), this.#shown(at));
  }

  find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }> {
    return findInFolders(this, query, async (folder, own) => {
      const options = { cwd: this.directory({ folder, path: '' }), query: own, signal };
      const rg = await this.#ripgrep();
      if (!rg) return (await import('../search/search-without-ripgrep.ts')).filesByWalking(options);
      const { filesWithRipgrep, ignoreFileIn } = await loadRipgrep();
      return filesWithRipgrep({ ...options, rg, without: ignoreFileIn(options.cwd) });
    });
  }

  search(query: SearchQuery, signal: AbortSignal): AsyncGenerator<SearchHit> {
    const ripgrep = this.#ripgrep;
    const root = (folder: number) => this.directory({ folder, path: '' });
    return searchInFolders(this, query, async function* (folder, own) {
      const options = { cwd: root(folder), query: own, signal };
      const rg = await ripgrep();
      if (!rg) return yield* (await import('../search/search-without-ripgrep.ts')).searchByWalking(options);
      const { ignoreFileIn, searchWithRipgrep } = await loadRipgrep();
      return yield* searchWithRipgrep({ ...options, rg, without: ignoreFileIn(options.cwd) });
    });
  }

  #shown(at: Location): string {
    return formatPath(at, this.folders);
  }

  /**
   * Finds the folder of a real path. Paths are compared exactly, because the real path and the folders' roots come from the file system.
   */
  #locate(real: string): Location | undefined {
    return innermost(
      this.folders.flatMap(({ root }, folder) => {
        const prefix = root.endsWith(sep) ? root : root + sep;
        return real === root || real.startsWith(prefix) ? [{ folder, path: real.slice(prefix.length).split(sep).join('/') }] : [];
      }),
    );
  }
}

function onPath(): () => Promise<string | undefined> {
  let ripgrepPath: Promise<string | undefined> | undefined;
  return () => {
    ripgrepPath ??= loadRipgrep().then(({ findRipgrep }) => findRipgrep());
    return ripgrepPath;
  };
}

/**
 * Resolves all symbolic links, even if the end of the path does not exist. A link to a missing file resolves to its target. Returns
 * undefined when links form a cycle.
 */
export function realPath(path: string, links = 0): string | undefined {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const parent = realpathSync.native(at);
      const [name, ...rest] = missing.reverse();
      if (name === undefined) return parent;
      const place = join(parent, name);
      const isLink = orMissing(() => lstatSync(place))?.isSymbolicLink() ?? false;
      if (!isLink) return join(place, ...rest);
      return links < MAX_LINKS ? realPath(join(resolve(parent, readlinkSync(place)), ...rest), links + 1) : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
      if (!isMissing(error) || dirname(at) === at) throw error;
      missing.push(basename(at));
    }
  }
}

function orMissing(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Rejects names that Windows interprets differently: it writes `a.txt.`, `a.txt ` and `a.txt:b` into `a.txt`, and `con` to the console.
 * @throws PathError for such a name
 */
export function expectName(path: string, platform: string = process.platform): void {
  if (platform !== 'win32') return;
  const bad = path.split('/').find((name) => /[<>:"|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name));
  if (bad) throw new PathError(`${bad} cannot be the name of a file on Windows. Use another name.`);
}
