/** Lists the files and folders that a mention can name. The list is cached, because reading 200,000 names takes seconds. */
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { formatPath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';
import { deniedFilterOf } from '../run/judge.ts';
import { PathRanking } from './rank.ts';
import type { MentionPorts } from './sources.ts';

const MAX_FILES = 200_000;
/** The minimum time between two readings of the list, in milliseconds. It is needed because a build or an installation changes files continuously. */
const REREAD_MS = 3_000;

type List = { readonly fs: FileSystem; reading?: Promise<PathRanking> | undefined; paths?: PathRanking; readAt: number };

export class FileIndex {
  readonly #ports: MentionPorts;
  #list: List | undefined;
  #isStale = false;

  constructor(ports: MentionPorts) {
    this.#ports = ports;
  }

  /** Call this when files were created, deleted or renamed. The list is read again when it is next needed. */
  filesChanged(): void {
    this.#isStale = true;
  }

  /** The list as it was last read, or undefined if it has not been read yet. */
  get known(): PathRanking | undefined {
    return this.#list?.fs === this.#ports.fileSystem() ? this.#list.paths : undefined;
  }

  /** Returns the list, which is at most a few seconds out of date. If it cannot be read, the next call reads it again. */
  async paths(): Promise<PathRanking> {
    const { fileSystem, now = () => performance.now() } = this.#ports;
    const fs = fileSystem();
    if (this.#list?.fs !== fs) this.#list = { fs, readAt: 0 };
    const list = this.#list;
    const isDue = this.#isStale && now() - list.readAt >= REREAD_MS;
    if (!list.reading && (!list.paths || isDue)) list.reading = this.#update(list, now);
    return list.reading ?? (list.paths as PathRanking);
  }

  async #update(list: List, now: () => number): Promise<PathRanking> {
    this.#isStale = false;
    try {
      list.paths = await readPaths(await withIgnoreFiles(list.fs), deniedFilterOf(this.#ports));
      return list.paths;
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      list.reading = undefined;
      list.readAt = now();
    }
  }
}

/** `fs` omits the files that `.kedgeignore` excludes. */
async function readPaths(fs: FileSystem, isDenied: (path: string) => boolean): Promise<PathRanking> {
  if (fs.folders.length === 0) return new PathRanking([]);
  const { files } = await fs.find({ limit: MAX_FILES }, new AbortController().signal);
  const paths: string[] = [];
  const folders = new Set<string>();
  for (const at of files) {
    const path = formatPath(at, fs.folders);
    if (isDenied(path)) continue;
    paths.push(path);
    for (const folder of foldersOf(at)) folders.add(folder);
  }
  const tops = fs.folders.length > 1 ? fs.folders.map(({ name }) => `${name}/`) : [];
  const below = [...folders].map((folder) => {
    const at = folder.indexOf(' ');
    return `${formatPath({ folder: Number(folder.slice(0, at)), path: folder.slice(at + 1) }, fs.folders)}/`;
  });
  return new PathRanking([...paths, ...tops, ...below.filter((path) => !isDenied(path.slice(0, -1)))]);
}

/** Yields the folders that contain a file. Each is given as the index of its workspace folder and its path. */
function* foldersOf({ folder, path }: Location): Generator<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield `${folder} ${path.slice(0, at)}`;
}
