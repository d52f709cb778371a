/** Tells documents that are gone from those that only cannot be seen at the moment. */
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Source } from '../../../documents/collections.ts';
import { NodeFileSystem } from '../files/file-system.ts';
import { type DocumentAccess, openSource, realPath } from './access.ts';
import { pathsOfKey } from './document-file.ts';

/**
 * Returns those of the documents whose folder, or a folder above it, cannot be read, for example because of its permissions or because of a
 * broken connection. A document that Kedge may not read without asking is not among them.
 */
export async function documentsAway(
  source: Exclude<Source, { kind: 'url' }>,
  keys: readonly string[],
  access: DocumentAccess,
): Promise<string[]> {
  const root = realPath(source.path);
  if (root === undefined || source.kind === 'file') return [];
  const folder = await openSource(new NodeFileSystem([root]), access);
  const known = new Map<string, Existence>();
  const isAway = (path: string) => {
    const below = path.slice(root.length).split(sep).filter(Boolean);
    return !folder.hides({ folder: 0, path: below.join('/') }) && existenceOf(dirname(path), root, known) === 'away';
  };
  return keys.filter((key) => pathsOfKey(key, source, access.workspace).some(isAway));
}

type Existence = 'readable' | 'gone' | 'away';

function existenceOf(directory: string, root: string, known: Map<string, Existence>): Existence {
  const before = known.get(directory);
  if (before) return before;
  const above = directory === root ? 'readable' : existenceOf(dirname(directory), root, known);
  const existence = above === 'readable' ? existenceOfDirectory(directory) : above;
  known.set(directory, existence);
  return existence;
}

function existenceOfDirectory(directory: string): Existence {
  try {
    readdirSync(join(directory, sep));
    return 'readable';
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'gone' : 'away';
  }
}
