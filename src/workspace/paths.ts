import { ToolError } from '../core/run/tool.ts';
import type { Folder, Location } from './types.ts';

const MAX_LENGTH = 4_096;
/** The longest name that most file systems support, in bytes. */
const MAX_NAME = 255;

/** The message says why a path is not valid in the workspace, and what to use instead. */
export class PathError extends ToolError {
  override name = 'PathError';
}

/**
 * Turns a path into a location by its text alone; the file system resolves links later. With one folder, paths are relative to it. With
 * several, the first component is the name of the folder. An absolute path may be inside any of them. @throws PathError for a path that is
 * outside all folders or contains control characters.
 */
export function parsePath(input: string, folders: readonly Folder[]): Location {
  if (folders.length === 0) throw new PathError('No folder is open. Open a folder first.');
  if (input.length > MAX_LENGTH)
    throw new PathError(`The path is longer than ${MAX_LENGTH.toLocaleString('en')} characters. Use a shorter path.`);
  const path = withoutScheme(input.trim());
  if (/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(input + path)) throw new PathError('The path contains a control character. Remove it.');
  const slashed = path.replaceAll('\\', '/');
  const inside = insideOf(slashed, folders);
  if (!inside && /^([a-z][a-z0-9+.-]*:|\/|~)/i.test(slashed))
    throw new PathError(`${input} is not a path relative to the workspace. Use a path such as src/main.ts.`);
  const parts = partsOf(inside?.path ?? slashed);
  if (!parts) throw new PathError(`${input} is outside the workspace. Use a path in the workspace.`);
  if (parts.some((part) => new TextEncoder().encode(part).length > MAX_NAME))
    throw new PathError(`A name in the path is longer than ${MAX_NAME} bytes. Use a shorter name.`);
  if (inside) return { ...inside, path: parts.join('/') };
  if (folders.length === 1) return { folder: 0, path: parts.join('/') };
  const folder = folders.findIndex(({ name }) => name === parts[0]);
  if (folder < 0)
    throw new PathError(
      `Several folders are open. Begin the path with the name of a folder: ${folders.map(({ name }) => name).join(', ')}.`,
    );
  return { folder, path: parts.slice(1).join('/') };
}

/** Makes an absolute path or glob inside an open folder relative to the workspace. Any other input is returned unchanged. */
export function relativePath(input: string, folders: readonly Folder[]): string {
  const path = withoutScheme(input.trim());
  const inside = insideOf(/^[a-z]:/i.test(path) ? path.replaceAll('\\', '/') : path, folders);
  return inside ? formatPath(inside, folders) : input;
}

/** Returns the path of a `file:` URL. Any other input is returned unchanged. */
function withoutScheme(input: string): string {
  const [, path] = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/is.exec(input) ?? [];
  if (path === undefined) return input;
  try {
    return decodeURIComponent(path);
  } catch {
    return input;
  }
}

/** Finds the location of an absolute path. */
function insideOf(path: string, folders: readonly Folder[]): Location | undefined {
  const parts = absoluteParts(path);
  if (!parts) return undefined;
  return innermost(
    folders.flatMap(({ roots = [] }, folder) =>
      roots.flatMap((root) => {
        const own = absoluteParts(root.replaceAll('\\', '/'));
        return own?.every((part, index) => part === parts[index]) ? [{ folder, path: parts.slice(own.length).join('/') }] : [];
      }),
    ),
  );
}

/** Returns the location in the innermost of nested folders, which is the location with the shortest path. */
export function innermost(places: readonly Location[]): Location | undefined {
  return places.toSorted((a, b) => a.path.length - b.path.length)[0];
}

/** Returns undefined for a path that is not absolute. A drive letter may be in either case, and may follow a slash. */
export function absoluteParts(path: string): string[] | undefined {
  const [, drive, rest] = /^(?:\/?([a-z]:)(?=\/|$)|(?=\/))(.*)$/is.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const parts = partsOf(rest, true) ?? [];
  return drive ? [drive.toLowerCase(), ...parts] : parts;
}

/** Resolves `.` and `..`. Returns undefined when `..` leads above the start, unless the start is the root. */
function partsOf(path: string, isRoot = false): string[] | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined && !isRoot) return undefined;
  }
  return parts;
}

export function formatPath({ folder, path }: Location, folders: readonly Folder[]): string {
  if (folders.length === 1) return path || '.';
  const name = folders[folder]?.name ?? String(folder);
  return path ? `${name}/${path}` : name;
}

/** Returns unique names that can begin a path. Open folders may have the same name, or a name with a character such as `:`. */
export function uniqueNames(names: readonly string[]): string[] {
  const plain = names
    .map((name) => name.replace(/[\\/:\p{Cc}]|^~/gu, '-').trim())
    .map((name) => (/^\.{0,2}$/.test(name) ? 'folder' : name));
  const taken = new Set<string>();
  return plain.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique) || (unique !== name && plain.includes(unique)); count++) unique = `${name}-${count}`;
    taken.add(unique);
    return unique;
  });
}
