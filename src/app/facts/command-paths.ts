/**
 * Determines which files a command may display although its words do not name them: through globs, symbolic links and searched directories.
 */

import type { CommandFacts } from '../../policy/command.ts';
import type { SearchedPlaces } from '../../policy/commands/programs/searches.ts';
import { globMatcher } from '../../policy/glob.ts';
import { formatPath, parsePath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';
import { trackedIn } from './git-index.ts';

export type ReachedPaths = {
  /** Workspace paths. Paths outside the workspace begin with `../`. */
  paths: string[];
  /** Files that the command displays only if Git has changes to them. */
  maybe: string[];
  /** Whether the search was incomplete, so that the command may reach further paths. */
  isCut: boolean;
};

const MOST = 50_000;
/** Directories that are not searched, because users do not store their own files there. */
const SKIPPED = new Set(['.git', 'node_modules']);
export const MOST_FOLDERS = 3;
/** Names of files that are usually free of secrets when they are tracked by git. */
const KEPT_BY_GIT =
  /(?:^|\/)(?:\.npmrc|\.yarnrc\.yml|\.flaskenv|\.env\.(?:test|development))$|(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata|examples?|mocks?|samples?)\//i;

/**
 * Finds the files that a command reaches. @param matters returns true if a file in a searched directory needs approval. With `byRules`,
 * only the user's rules apply.
 */
export async function findReachedPaths(
  { words, names, searched, globs: open, folders }: Pick<CommandFacts, 'words' | 'names' | 'searched' | 'globs' | 'folders'>,
  cwd: string,
  fs: FileSystem,
  matters: (path: string, byRules: boolean) => boolean,
): Promise<ReachedPaths> {
  const found = new Set<string>();
  const maybe = new Set<string>();
  const indexes = new Map<number, ReturnType<typeof trackedIn>>();
  let looked = folders.length > MOST_FOLDERS ? MOST : 0;
  const real = (at: Location) => fs.canonical(at).catch(() => undefined);
  const list = async (at: Location) => (looked++ < MOST ? fs.list(at).catch(() => []) : []);
  const add = async (at: Location) => {
    const place = await real(at);
    found.add(place ? formatPath(place, fs.folders) : `../${formatPath(at, fs.folders)}`);
  };

  const addName = async (at: Location) => {
    const place = await real(at);
    if (!place || matters(formatPath(place, fs.folders), true)) await add(at);
  };

  const expand = async (at: Location, [name, ...rest]: readonly string[], to: (at: Location) => Promise<unknown>): Promise<void> => {
    if (name === undefined) return void (await to(at));
    const matches = anyLetters(name);
    const place = await real(at);
    // A symbolic link that leads out of the workspace is not followed. It counts as a path outside the workspace.
    if (!place) return add(at);
    for (const entry of await list(place)) {
      if (entry.name !== name && !matches(entry.name)) continue;
      looked++;
      await expand(below(at, entry.name), rest, to);
    }
  };

  const walk = async (start: Location, { hidden, follows = false, globs = [], only = [], tracked }: SearchedPlaces): Promise<void> => {
    const seen = new Set<string>();
    const matchers = (names: readonly string[]) => names.map((name) => globMatcher(name.toLowerCase(), { dot: true }));
    const names = matchers(globs.flatMap((glob) => glob.split('/')));
    const wanted = matchers(only.map((glob) => glob.split('/').at(-1) || '*'));
    const isOpen = (name: string) => hidden || !name.startsWith('.') || names.some((matches) => matches(name.toLowerCase()));
    const tell = (at: Location): void => {
      const path = formatPath(at, fs.folders);
      const name = path.split('/').at(-1)?.toLowerCase() ?? '';
      if (wanted.length > 0 && !wanted.some((matches) => matches(name))) return;
      const isCommon = tracked !== undefined && KEPT_BY_GIT.test(path);
      if (matters(path, isCommon)) (tracked === 'changes' ? maybe : found).add(path);
    };
    const directory = async (at: Location): Promise<void> => {
      const path = formatPath(at, fs.folders);
      if (seen.has(path)) return;
      seen.add(path);
      for (const { name, type, link } of await list(at)) {
        looked++;
        if (!isOpen(name) || SKIPPED.has(name) || (link && !follows)) continue;
        const inner = link ? await real(below(at, name)) : below(at, name);
        if (!inner) await add(below(at, name));
        else if (type === 'directory') await directory(inner);
        else tell(inner);
      }
    };
    // The search starts at the directory that the path leads to after all symbolic links are resolved.
    const place = await real(start);
    if (!place) return;
    const { folder, path } = place;
    if (tracked) {
      const index = indexes.get(folder) ?? trackedIn(folder, fs);
      indexes.set(folder, index);
      const kept = await index;
      for (const each of kept ?? []) if (path === '' || each === path || each.startsWith(`${path}/`)) tell({ folder, path: each });
      if (kept) return;
    }
    const type = (await fs.stat(place).catch(() => undefined))?.type;
    if (type === 'directory') await directory(place);
    else if (type && tracked) tell(place);
  };

  for (const from of foldersFrom(cwd, folders.slice(0, MOST_FOLDERS))) {
    const each = async (word: string, to: (at: Location) => Promise<unknown>) => {
      const at = placeOf(word, from, fs);
      if (!at) return;
      // In some shells, a pattern such as `.*` also matches `..`.
      if (open.has(word) && word.split('/').some((name) => name.startsWith('.') && anyLetters(name.replace(/\[[!^]\.\]/g, 'x'))('..')))
        found.add(`../${word}`);
      if (/[*?[]/.test(word)) await expand({ ...at, path: '' }, at.path.split('/'), to);
      if (await fs.stat(at).catch(() => undefined)) await to(at);
    };
    for (const word of new Set(words)) await each(word, names.has(word) ? addName : add);
    for (const search of searched) {
      let count = 0;
      const at = (place: Location) => {
        count++;
        return walk(place, search);
      };
      for (const place of search.places) if (place !== '?') await each(place, at);
      // `?` stands for optional words. If none of them is a path, the command searches the current directory.
      if (count === 0 && search.places.includes('?')) await each('.', at);
    }
  }
  return { paths: [...found], maybe: [...maybe], isCut: looked >= MOST };
}

/** Returns all directories in which the command may run, because each change of directory may succeed or fail. */
export function foldersFrom(cwd: string, folders: readonly string[]): string[] {
  const from = [cwd];
  for (const folder of folders) from.push(...from.map((each) => `${each}/${folder}`));
  return from;
}

/** Returns a matcher for a name with wildcards. Shells interpret brackets differently, so brackets match any text here. */
function anyLetters(name: string): (name: string) => boolean {
  return globMatcher(name.replace(/\[.*\]/gs, '*'), { dot: true });
}

export function below({ folder, path }: Location, name: string): Location {
  return { folder, path: path === '' ? name : `${path}/${name}` };
}

/** Returns the location that a word refers to, or undefined if the word cannot be a path in the workspace. */
export function placeOf(word: string, cwd: string, { folders }: FileSystem): Location | undefined {
  try {
    return parsePath(cwd === '.' || /^(?:\/|[a-z]:[\\/])/i.test(word) ? word : `${cwd}/${word}`, folders);
  } catch {
    return undefined;
  }
}
