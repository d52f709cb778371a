/** Support for `.kedgeignore`: tools can neither find nor read the files that its gitignore patterns match. */
import { locationsIn } from './aliases.ts';
import { decodeText } from './content.ts';
import { isCostlyPattern } from './ignore-patterns.ts';
import { formatPath, PathError } from './paths.ts';
import type { FileSystem, FindQuery, Location } from './types.ts';

export const IGNORE_FILE = '.kedgeignore';

const MAX_BYTES = 1_000_000;

/**
 * Wraps a file system so that the files that match the ignore files at the top of its folders are omitted from listings and searches. A
 * call that names an excluded file throws a PathError. The ignore files are read once; later edits take effect in the next wrapper. @throws
 * Error when an ignore file exists but cannot be read, because the excluded files are then unknown.
 */
export async function withIgnoreFiles(fs: FileSystem): Promise<FileSystem> {
  const rules = await Promise.all(fs.folders.map((_, folder) => rulesOf(fs, folder)));
  if (rules.every((each) => each === undefined)) return fs;
  const caches = rules.map(() => new Map<string, boolean>());
  const hidesDirectory = ({ folder, path }: Location): boolean => {
    const cache = caches[folder];
    if (!cache || path === '') return false;
    const hidden = cache.get(path) ?? (hidesDirectory({ folder, path: parentOf(path) }) || (rules[folder]?.(`${path}/`) ?? false));
    cache.set(path, hidden);
    return hidden;
  };
  const hidesIn = ({ folder, path }: Location, isDirectory: boolean): boolean => {
    if (isDirectory || path === '') return hidesDirectory({ folder, path });
    return hidesDirectory({ folder, path: parentOf(path) }) || (rules[folder]?.(path) ?? false);
  };
  // One open folder may be inside another. A file is excluded if the ignore file of one of its folders excludes it.
  const locations = locationsIn(fs.folders);
  const hides = (at: Location, isDirectory: boolean): boolean => locations(at).some((each) => hidesIn(each, isDirectory));
  return new HidingFileSystem(fs, hides);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

async function rulesOf(fs: FileSystem, folder: number): Promise<((path: string) => boolean) | undefined> {
  const at = { folder, path: IGNORE_FILE };
  if (!(await fs.stat(at))) return undefined;
  const real = await fs.canonical(at);
  const stat = real && (await fs.stat(real));
  const text = real && stat?.type === 'file' && stat.size <= MAX_BYTES ? decodeText((await fs.read(real)).bytes) : undefined;
  if (text === undefined)
    throw new Error(`${formatPath(at, fs.folders)} cannot be read, so the excluded files are unknown. Fix or delete it.`);
  const costly = text.split('\n').findIndex(isCostlyPattern);
  if (costly >= 0)
    throw new Error(
      `${formatPath(at, fs.folders)}: line ${costly + 1} contains **/ more than twice, which makes matching too slow. Use **/ at most twice.`,
    );
  const { default: ignore } = await import('ignore');
  // Matching ignores case, and treats composed and decomposed accents as equal, because some platforms treat such names as the same file.
  const rules = ignore({ allowRelativePaths: true }).add(text.replace(/^\uFEFF/, '').normalize('NFC'));
  return (path) => rules.ignores(path.normalize('NFC'));
}

class HidingFileSystem implements FileSystem {
  readonly #fs: FileSystem;
  readonly #hides: (at: Location, isDirectory: boolean) => boolean;
  /** Whether `.kedgeignore` excludes a file. */
  readonly hides: (at: Location) => boolean;

  constructor(fs: FileSystem, hides: (at: Location, isDirectory: boolean) => boolean) {
    this.#fs = fs;
    this.#hides = hides;
    this.hides = (at) => hides(at, false);
  }

  get folders() {
    return this.#fs.folders;
  }

  /** Checks the path of a symbolic link and the path of its target. */
  async canonical(at: Location) {
    const real = await this.#fs.canonical(await this.#visible(at));
    return real && this.#visible(real, at);
  }

  async stat(at: Location) {
    return this.#fs.stat(await this.#visible(at));
  }

  async read(at: Location) {
    return this.#fs.read(await this.#visible(at));
  }

  async readRange(at: Location, from: number, length: number) {
    return this.#fs.readRange?.(await this.#visible(at), from, length);
  }

  notebook(at: Location) {
    return this.hides(at) ? undefined : this.#fs.notebook?.(at);
  }

  async list(at: Location) {
    const entries = await this.#fs.list(await this.#visible(at));
    const lead = at.path && `${at.path}/`;
    return entries.filter(({ name, type }) => !this.#hides({ folder: at.folder, path: lead + name }, type === 'directory'));
  }

  find(...[query, signal]: Parameters<FileSystem['find']>) {
    return this.#fs.find({ ...query, hides: this.#hiding(query) }, signal);
  }

  search(...[query, signal]: Parameters<FileSystem['search']>) {
    return this.#fs.search({ ...query, hides: this.#hiding(query) }, signal);
  }

  #hiding({ hides }: FindQuery): (at: Location) => boolean {
    return hides ? (at) => this.hides(at) || hides(at) : this.hides;
  }

  async #visible(at: Location, named = at): Promise<Location> {
    const [asFile, asDirectory] = [this.#hides(at, false), this.#hides(at, true)];
    if (!asFile && !asDirectory) return at;
    // A pattern may match only files or only directories. A path that does not exist may become a file or a directory, so it is excluded.
    const stat = asFile === asDirectory ? undefined : await this.#fs.stat(at);
    const hidden = !stat || (stat.type === 'directory' ? asDirectory : asFile);
    if (hidden) throw new PathError(`${formatPath(named, this.folders)} is excluded by ${IGNORE_FILE}.`);
    return at;
  }
}
