import { ToolError } from '../core/tool.ts';
import type { Location } from './types.ts';

const MAX_LENGTH = 4_096;
/** In bytes, as most file systems have it. */
const MAX_NAME = 255;

/** Says in one sentence why a path is no path in the workspace. */
export class PathError extends ToolError {
  override name = 'PathError';

  /** Bundles that are loaded later have a copy of this class: the name tells, not the copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'PathError';
  }
}

/**
 * The location that a path names, judged by its letters alone; links are the file system's to resolve.
 * With one folder paths are relative to it, with several the first component is the folder's name.
 * @throws PathError for what is absolute, leaves the folder, or holds characters that no path should.
 */
export function parsePath(input: string, folders: readonly { name: string }[]): Location {
  if (folders.length === 0) throw new PathError('No folder is open. Open a folder first.');
  if (input.length > MAX_LENGTH) throw new PathError('The path is too long.');
  if (/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(input)) throw new PathError('The path holds a control character.');
  const slashed = input.trim().replaceAll('\\', '/');
  if (/^([a-z][a-z0-9+.-]*:|\/|~)/i.test(slashed))
    throw new PathError(`${input} is not a path relative to the workspace. Use one such as src/main.ts.`);
  const parts: string[] = [];
  for (const part of slashed.split('/')) {
    if (part === '' || part === '.') continue;
    if (new TextEncoder().encode(part).length > MAX_NAME) throw new PathError('A name in the path is too long.');
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw new PathError(`${input} is outside the workspace.`);
  }
  if (folders.length === 1) return { folder: 0, path: parts.join('/') };
  const folder = folders.findIndex(({ name }) => name === parts[0]);
  if (folder < 0) throw new PathError(`A path begins with the name of a folder here: ${folders.map(({ name }) => name).join(', ')}.`);
  return { folder, path: parts.slice(1).join('/') };
}

export function formatPath({ folder, path }: Location, folders: readonly { name: string }[]): string {
  if (folders.length === 1) return path || '.';
  const name = folders[folder]?.name ?? String(folder);
  return path ? `${name}/${path}` : name;
}

/** Several open folders may have the same name, or one that no path could begin with; what the model writes must still be clear. */
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
