/** Finds the file of a document by its key, which `openSource` made from the path. */
import { basename, dirname, join } from 'node:path';
import type { Source } from '../../../documents/collections.ts';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import type { NodeFileSystem } from '../files/file-system.ts';
import { realPath } from './access.ts';

/** Returns undefined if the file is gone, or belongs to none of the sources. */
export function fileOfDocument(key: string, sources: readonly Source[], workspace: NodeFileSystem): string | undefined {
  const below = pathInWorkspace(key, workspace);
  const paths = sources.flatMap((source) => {
    const root = source.kind === 'url' ? undefined : realPath(source.path);
    if (root === undefined) return [];
    if (source.kind === 'file') return `${basename(dirname(root))}/${basename(root)}` === key || root === below ? [root] : [];
    const prefix = `${basename(root) || 'root'}/`;
    const named = key.startsWith(prefix) ? join(root, key.slice(prefix.length)) : undefined;
    return [below, named].filter((path) => path?.startsWith(join(root, '/')) === true) as string[];
  });
  return paths.find((path) => realPath(path) === path);
}

function pathInWorkspace(key: string, workspace: NodeFileSystem): string | undefined {
  try {
    return workspace.absolute(parsePath(key, workspace.folders));
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}
