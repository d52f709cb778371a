/** Finds the file of a document by its key, which `openSource` made from the path. */
import { basename, dirname, join } from 'node:path';
import type { Source } from '../../../documents/collections.ts';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import type { NodeFileSystem } from '../files/file-system.ts';
import { nameOfSource, realPath } from './access.ts';

/** Returns undefined if the file is gone, or belongs to none of the sources. */
export function fileOfDocument(key: string, sources: readonly Source[], workspace: NodeFileSystem): string | undefined {
  return sources.flatMap((source) => pathsOfKey(key, source, workspace)).find((path) => realPath(path) === path);
}

/** Returns the paths that a document with this key can have in a source. */
export function pathsOfKey(key: string, source: Source, workspace: NodeFileSystem): string[] {
  const root = source.kind === 'url' ? undefined : realPath(source.path);
  if (root === undefined) return [];
  const below = pathInWorkspace(key, workspace);
  if (source.kind === 'file') return `${nameOfSource(dirname(root))}/${basename(root)}` === key || root === below ? [root] : [];
  const prefix = `${nameOfSource(root)}/`;
  const named = key.startsWith(prefix) ? join(root, key.slice(prefix.length)) : undefined;
  return [below, named].filter((path) => path?.startsWith(join(root, '/')) === true) as string[];
}

function pathInWorkspace(key: string, workspace: NodeFileSystem): string | undefined {
  try {
    return workspace.absolute(parsePath(key, workspace.folders));
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}
