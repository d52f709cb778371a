/** The read side of the workspace as tools see it: paths as the model writes them, resolved to real places. */
import { formatPath, PathError, parsePath, relativePath } from './paths.ts';
import type { FileBytes, FileStat, FileSystem, Location } from './types.ts';

export type Resolved = { at: Location; path: string };

/** More than an editor would open, and than a model could do anything with. */
const MAX_READ = 100_000_000;

export class Workspace {
  readonly fs: FileSystem;

  /** Whether reading this file needs the user's leave: a search tells nothing of what is in it. */
  readonly withholds: (path: string) => boolean;

  constructor(fs: FileSystem, withholds: (path: string) => boolean = () => false) {
    this.fs = fs;
    this.withholds = withholds;
  }

  /** The real place that `input` names, after links. @throws PathError where that is not in the workspace. */
  async resolve(input: string): Promise<Resolved> {
    const named = parsePath(input, this.fs.folders);
    const at = await this.fs.canonical(named);
    if (!at) throw new PathError(`${input} leads outside the workspace through a symbolic link.`);
    return { at, path: this.display(at) };
  }

  /** As `resolve`, for what is to be moved or deleted: a symbolic link is not followed silently to the file behind it. */
  async resolveEntry(input: string): Promise<Resolved> {
    const resolved = await this.resolve(input);
    const stat = await this.fs.stat(parsePath(input, this.fs.folders));
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

  stat(at: Location): Promise<FileStat | undefined> {
    return this.fs.stat(at);
  }

  /** The file as it is now, open unsaved documents before the disk; undefined when there is none. */
  async snapshot(at: Location): Promise<FileBytes | undefined> {
    const stat = await this.fs.stat(at);
    if (!stat) return undefined;
    if (stat.type !== 'file')
      throw new PathError(`${this.display(at)} is not a file${stat.type === 'directory' ? ' but a directory' : ''}.`);
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
