/** What else a place is called: one open folder may lie in another, and a folder may be opened that is itself a place such as `.ssh` or `.git/hooks`. */
import { absoluteParts, formatPath, parsePath } from './paths.ts';
import type { Folder, Location } from './types.ts';

/** The inner folder is at the path `below` of the outer one. */
type Nesting = { outer: number; inner: number; below: string };

/** Every location of a place, in each open folder that it lies in; the given one is the first. */
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
 * `names`: a path of the workspace as each open folder has it, itself first; a rule may name it by any of them. `places`: the same with the
 * names of directories above the folders, which tell whether it is secret or protected.
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
 * The last name on the way to a folder, or the last two, where that is a hidden directory or in one: `.ssh`, `.git/hooks`. Others tell
 * nothing: a project may well be in `secrets` or `.cursor/worktrees`.
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
      const found = inners.flatMap((own) => outers.flatMap((top) => (isBelow(own, top) ? [own.slice(top.length).join('/')] : [])));
      return [...new Set(found)].map((below) => ({ outer, inner, below }));
    }),
  );
}

function isBelow(parts: readonly string[], top: readonly string[]): boolean {
  return top.length > 0 && top.length <= parts.length && top.every((part, index) => part === parts[index]);
}

function joined(directory: string, path: string): string {
  return [directory, path].filter((part) => part !== '').join('/');
}
