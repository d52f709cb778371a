/** What the words of a command come to on the disk: globs, links and directories that are searched show files that nobody named. */

import type { SearchedPlaces } from '../policy/commands/searches.ts';
import { globMatcher } from '../policy/glob.ts';
import { formatPath, parsePath } from '../workspace/paths.ts';
import type { FileSystem, Location } from '../workspace/types.ts';

export type Reach = {
  /** Paths of the workspace; what lies outside begins with `../`. */
  paths: string[];
  /** There is more than was looked at. */
  isCut: boolean;
};

const MOST = 20_000;
/** Nobody keeps what is theirs in there. */
const SKIPPED = new Set(['.git', 'node_modules']);

/** @param matters leaves out the files of searched directories that nobody has to agree to. */
export async function reachOf(
  words: readonly string[],
  searched: readonly SearchedPlaces[],
  cwd: string,
  fs: FileSystem,
  matters: (path: string) => boolean,
): Promise<Reach> {
  const found = new Set<string>();
  let looked = 0;
  const list = async (at: Location) => (looked++ < MOST ? fs.list(at).catch(() => []) : []);
  const add = async (at: Location) => {
    const real = await fs.canonical(at).catch(() => undefined);
    found.add(real ? formatPath(real, fs.folders) : `../${formatPath(at, fs.folders)}`);
  };

  const expand = async (at: Location, [name, ...rest]: readonly string[]): Promise<void> => {
    if (name === undefined) return add(at);
    const matches = globMatcher(name, { dot: true });
    for (const entry of await list(at)) {
      if (entry.name !== name && !matches(entry.name)) continue;
      looked++;
      await expand(below(at, entry.name), rest);
    }
  };
  const walk = async (at: Location, hidden: boolean): Promise<void> => {
    for (const { name, type, link } of await list(at)) {
      looked++;
      if ((!hidden && name.startsWith('.')) || SKIPPED.has(name) || link) continue;
      const inner = below(at, name);
      if (type === 'directory') await walk(inner, hidden);
      else if (matters(formatPath(inner, fs.folders))) found.add(formatPath(inner, fs.folders));
    }
  };

  for (const word of new Set(words)) {
    const at = placeOf(word, cwd, fs);
    if (!at) continue;
    if (/[*?[]/.test(word)) await expand({ ...at, path: '' }, at.path.split('/'));
    else if (await fs.stat(at).catch(() => undefined)) await add(at);
  }
  for (const { places, hidden } of searched) {
    for (const place of places) {
      const at = placeOf(place, cwd, fs);
      if (at && (await fs.stat(at).catch(() => undefined))?.type === 'directory') await walk(at, hidden);
    }
  }
  return { paths: [...found], isCut: looked >= MOST };
}

function below({ folder, path }: Location, name: string): Location {
  return { folder, path: path === '' ? name : `${path}/${name}` };
}

/** undefined for what is no path in the workspace, which its letters tell. */
function placeOf(word: string, cwd: string, { folders }: FileSystem): Location | undefined {
  try {
    return parsePath(cwd === '.' ? word : `${cwd}/${word}`, folders);
  } catch {
    return undefined;
  }
}
