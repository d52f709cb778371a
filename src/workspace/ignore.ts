/** Support for `.kedgeignore`: the files that its gitignore patterns match do not exist for the model, whichever tool asks. */
import { locationsIn } from './aliases.ts';
import { decodeText } from './content.ts';
import { isCostlyPattern } from './ignore-patterns.ts';
import { formatPath, PathError } from './paths.ts';
import type { FileSystem, FindQuery, Location } from './types.ts';

export const IGNORE_FILE = '.kedgeignore';

const MAX_BYTES = 1_000_000;

/**
 * Wraps a file system so that files matched by the ignore files at the top of its folders are omitted from listings and searches, and
 * refused with a PathError when they are named. The ignore files are read once; later edits count for the next wrapper. @throws Error when
 * an ignore file exists but cannot be read, because what it hides is then unknown.
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
  // One open folder may be inside another. Each has its own ignore file, and a file that either of them hides is hidden.
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
    throw new Error(`${formatPath(at, fs.folders)} cannot be read, so the files that it hides are unknown. Fix or remove it.`);
  const costly = text.split('\n').findIndex(isCostlyPattern);
  if (costly >= 0)
    throw new Error(`${formatPath(at, fs.folders)}: line ${costly + 1} has too many **/ to be matched quickly. Use two of them at most.`);
  const { default: ignore } = await import('ignore');
  // Matching ignores case, and composed and decomposed accents are equal, because some platforms treat such names as the same file.
  const rules = ignore({ allowRelativePaths: true }).add(text.replace(/^\uFEFF/, '').normalize('NFC'));
  return (path) => rules.ignores(path.normalize('NFC'));
}

class HidingFileSystem implements FileSystem {
  readonly #fs: FileSystem;
  readonly #hides: (at: Location, isDirectory: boolean) => boolean;
  /** Whether a file is hidden. */
  readonly hides: (at: Location) => boolean;

  constructor(fs: FileSystem, hides: (at: Location, isDirectory: boolean) => boolean) {
    this.#fs = fs;
    this.#hides = hides;
    this.hides = (at) => hides(at, false);
  }

  get folders() {
    return this.#fs.folders;
  }

  /** Checks both names of a symbolic link: its own and that of its target. */
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
    // A pattern may match files only or directories only. A path that does not exist could become either, so it is hidden.
    const stat = asFile === asDirectory ? undefined : await this.#fs.stat(at);
    const hidden = !stat || (stat.type === 'directory' ? asDirectory : asFile);
    if (hidden) throw new PathError(`${formatPath(named, this.folders)} is hidden by ${IGNORE_FILE}.`);
    return at;
  }
}
