/** The files and folders that a mention can name. The list is read once and kept, because reading 200,000 names takes seconds. */

import { formatPath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';
import { PathRanking } from './rank.ts';

const MAX_FILES = 200_000;

export class FileIndex {
  readonly #fs: FileSystem;
  readonly #isDenied: (path: string) => boolean;
  readonly #files: Promise<PathRanking>;

  /** `fs` omits the files that `.kedgeignore` excludes. */
  constructor(fs: FileSystem, isDenied: (path: string) => boolean) {
    this.#fs = fs;
    this.#isDenied = isDenied;
    this.#files = this.#read();
    // A search reports the error.
    this.#files.catch(() => undefined);
  }

  /** Resolves when the list has been read. */
  get files(): Promise<PathRanking> {
    return this.#files;
  }

  async #read(): Promise<PathRanking> {
    if (this.#fs.folders.length === 0) return new PathRanking([]);
    const { files } = await this.#fs.find({ limit: MAX_FILES }, new AbortController().signal);
    const paths: string[] = [];
    const folders = new Set<string>();
    for (const at of files) {
      const path = formatPath(at, this.#fs.folders);
      if (this.#isDenied(path)) continue;
      paths.push(path);
      for (const folder of foldersOf(at)) folders.add(folder);
    }
    const tops = this.#fs.folders.length > 1 ? this.#fs.folders.map(({ name }) => `${name}/`) : [];
    const below = [...folders].map((folder) => `${this.#shown(folder)}/`);
    return new PathRanking([...paths, ...tops, ...below.filter((path) => !this.#isDenied(path.slice(0, -1)))]);
  }

  #shown(folder: string): string {
    const at = folder.indexOf(' ');
    return formatPath({ folder: Number(folder.slice(0, at)), path: folder.slice(at + 1) }, this.#fs.folders);
  }
}

/** Yields the folders around a file, each as the index of its workspace folder and its path. */
function* foldersOf({ folder, path }: Location): Generator<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield `${folder} ${path.slice(0, at)}`;
}
