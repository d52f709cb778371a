/**
 * Determines from the disk which code a command runs: the folders in which it runs, the paths that its words refer to, and the projects
 * that contain these paths.
 */
import type { CommandFacts } from '../../policy/command.ts';
import { globMatcher } from '../../policy/glob.ts';
import { beginsProject, type CodePlaces, markersIn, upwards } from '../../policy/projects.ts';
import { formatPath, parsePath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';
import { below, foldersFrom, MOST_FOLDERS, placeOf } from './command-paths.ts';

/** The maximum number of directory entries that are examined to expand patterns and find projects. */
const MOST_NAMES = 5_000;
/** The number of levels of subfolders of a named directory in which other projects are searched for. */
const DEPTH = 2;
const SKIPPED = /^(?:node_modules|\.git)$/;

export async function codePlaces(
  { code, folders, goesTo }: Pick<CommandFacts, 'code' | 'folders' | 'goesTo'>,
  cwd: string,
  fs: FileSystem,
): Promise<CodePlaces> {
  let looked = 0;
  const list = (at: Location) => fs.list(at).catch(() => []);
  /** Returns a path with symbolic links resolved. A path that leads out of the workspace begins with `../`. */
  const real = async (at: Location) => {
    const place = await fs.canonical(at).catch(() => undefined);
    return place ? formatPath(place, fs.folders) : `../${at.path}`;
  };

  /** Returns the projects in the subfolders of a directory that the command names, because programs also load files from subfolders. */
  const projectsIn = async (at: Location, depth: number): Promise<string[]> => {
    const found: string[] = [];
    for (const { name, type, link } of depth > 0 ? await list(at) : []) {
      if (type !== 'directory' || link || name.startsWith('.') || SKIPPED.test(name)) continue;
      if (looked++ > MOST_NAMES) return ['../…'];
      const inner = below(at, name);
      const path = formatPath(inner, fs.folders);
      const markers = markersIn((await list(inner)).map((entry) => entry.name));
      if (beginsProject(path, markers, '')) found.push(path);
      else found.push(...(await projectsIn(inner, depth - 1)));
    }
    return found;
  };

  /**
   * Returns the directories that a pattern matches. For a final `**`, it returns the directory before it, which represents all of its
   * content.
   */
  const expand = async (at: Location, [part = '', ...rest]: readonly string[]): Promise<string[]> => {
    if (looked > MOST_NAMES) return ['../…'];
    if (rest.length === 0 && part === '**') return [await real(at)];
    const isDeep = part === '**';
    if (isDeep && rest.length === 1) return expand(at, rest);
    const matches = globMatcher(part.replace(/\[.*\]/gs, '*'), { dot: true });
    const inner = (await list(at)).filter(
      ({ name, type }) => type === 'directory' && (isDeep ? !SKIPPED.test(name) : name === part || matches(name)),
    );
    looked += inner.length;
    const found = await Promise.all(
      inner.map(({ name }) => (isDeep ? expand(below(at, name), [part, ...rest]) : rest.length > 0 ? expand(below(at, name), rest) : [])),
    );
    if (isDeep) found.push(await expand(at, rest));
    if (rest.length === 0) {
      const named = inner.map(({ name }) => below(at, name));
      found.push(await Promise.all([at, ...named].map(real)), ...(await Promise.all(named.map((each) => projectsIn(each, DEPTH)))));
    }
    return found.flat();
  };

  const placesOf = async (word: string, from: string): Promise<string[]> => {
    const at = placeOf(word, from, fs);
    if (!at) return [];
    // These patterns are expanded by some programs, but not by a shell. They count as paths outside the workspace.
    if (/\{[^{}]*[/{]|[+@!?*]\(/.test(word)) return [`../${word}`];
    if (/[*?[{]/.test(word)) return expand({ ...at, path: '' }, at.path.split('/'));
    const type = (await fs.stat(at).catch(() => undefined))?.type;
    // A word with a slash counts as a path even if no such file exists yet.
    if (!type && !word.includes('/')) return [];
    const place = await fs.canonical(at).catch(() => undefined);
    const isBelow = place !== undefined && type === 'directory' && formatPath(place, fs.folders) !== from;
    return [await real(at), ...(isBelow ? await projectsIn(place, DEPTH) : [])];
  };

  const isDirectory = async (folder: string) => {
    const at = placeOf('.', folder, fs);
    return at !== undefined && (await fs.stat(at).catch(() => undefined))?.type === 'directory';
  };
  const sure = goesTo === undefined ? undefined : foldersFrom(cwd, [goesTo])[1];
  const possible = foldersFrom(cwd, folders.slice(0, MOST_FOLDERS));
  const from = sure !== undefined && (await isDirectory(sure)) ? [sure] : [cwd, ...(await filter(possible.slice(1), isDirectory))];
  const places = await Promise.all(
    from.map((folder) => {
      const at = placeOf('.', folder, fs);
      return at ? real(at) : `../${folder}`;
    }),
  );
  const words = new Map<string, string[]>();
  for (const word of code) words.set(word, [...new Set((await Promise.all(from.map((folder) => placesOf(word, folder)))).flat())]);
  const ways = new Set(
    [...places, ...[...words.values()].flat()].flatMap(upwards).filter((place) => place !== '.' && !place.startsWith('../')),
  );
  const markers = new Map<string, string[]>();
  for (const way of ways) {
    const at = parsePath(way, fs.folders);
    markers.set(way, markersIn((await list(at)).map(({ name }) => name)));
  }
  return { folders: [...new Set(places)], words, markers };
}

async function filter<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const results = await Promise.all(items.map(test));
  return items.filter((_, at) => results[at]);
}
