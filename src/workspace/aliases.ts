/**
 * Finds the other names of a path. One open folder may be inside another, and an open folder may itself be a sensitive directory such as
 * `.ssh` or `.git/hooks`.
 */
import { absoluteParts, formatPath, parsePath } from './paths.ts';
import type { Folder, Location } from './types.ts';

/** The folder with the index `inner` is at the path `below` of the folder with the index `outer`. */
type Nesting = { outer: number; inner: number; below: string };

/**
 * Returns a function that lists every location of a path, one for each open folder that contains it. The location passed in comes first.
 */
export function locationsIn(folders: readonly Folder[]): (at: Location) => Location[] {
  const nestings = nestingsOf(folders);
  if (nestings.length === 0) return (at) => [at];
  return (at) => [
    at,
    ...nestings.flatMap(({ outer, inner, below }) => {
      if (at.folder === inner) return [{ folder: outer, path: joined(below, at.path) }];
      if (at.folder !== outer || (below !== '' && at.path !== below && !at.path.startsWith(`${below}/`))) return [];
      return [{ folder: inner, path: below === '' ? at.path : at.path.slice(below.length + 1) }];
    }),
  ];
}

/**
 * `names` returns the workspace paths of a file, one for each open folder that contains it and the path itself first, because a rule may
 * use any of them. `places` adds paths with the directories above the folders, which decide whether a file is secret or protected.
 */
export function aliasesIn(folders: readonly Folder[]) {
  const locations = locationsIn(folders);
  const above = folders.map(namesAbove);
  const isSimple = folders.length === 1;
  const locate = (path: string): Location[] => {
    try {
      return locations(isSimple ? { folder: 0, path } : parsePath(path, folders));
    } catch {
      return [];
    }
  };
  return {
    names: (path: string): readonly string[] =>
      isSimple ? [path] : [...new Set([path, ...locate(path).map((at) => formatPath(at, folders))])],
    places: (path: string): readonly string[] => {
      if (isSimple && above[0]?.length === 0) return [path];
      const own = locate(path).flatMap(({ folder, path: at }) =>
        at === '' || at === '.' ? [] : [at, ...(above[folder] ?? []).map((name) => `${name}/${at}`)],
      );
      return [...new Set([path, ...own])];
    },
  };
}

/**
 * Returns the last name of each root that is a hidden directory or a bare repository, or the last two names if the parent directory is
 * hidden: `.ssh`, `.git/hooks`. Names further up are ignored, because a project may be inside `secrets` or `.cursor/worktrees`.
 */
function namesAbove({ roots = [] }: Folder): string[] {
  const names = roots.map((root) => {
    const [parent = '', name = ''] = ['', ...(absoluteParts(root.replaceAll('\\', '/')) ?? [])].slice(-2);
    if (parent.startsWith('.')) return `${parent}/${name}`;
    return name.startsWith('.') || name.endsWith('.git') ? name : '';
  });
  return [...new Set(names)].filter((name) => name !== '');
}

function nestingsOf(folders: readonly Folder[]): Nesting[] {
  const parts = folders.map(({ roots = [] }) => roots.flatMap((root) => [absoluteParts(root.replaceAll('\\', '/')) ?? []]));
  return parts.flatMap((inners, inner) =>
    parts.flatMap((outers, outer) => {
      if (inner === outer) return [];
      const nestedPaths = inners.flatMap((own) => outers.flatMap((top) => (isBelow(own, top) ? [own.slice(top.length).join('/')] : [])));
      return [...new Set(nestedPaths)].map((below) => ({ outer, inner, below }));
    }),
  );
}

function isBelow(parts: readonly string[], top: readonly string[]): boolean {
  return top.length > 0 && top.length <= parts.length && top.every((part, index) => part === parts[index]);
}

function joined(directory: string, path: string): string {
  return [directory, path].filter((part) => part !== '').join('/');
}
