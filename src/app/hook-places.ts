/** Where a repository runs hooks from, besides the usual places. */

import { decodeText } from '../workspace/content.ts';
import { formatPath, parsePath } from '../workspace/paths.ts';
import type { FileSystem } from '../workspace/types.ts';

/** The directories that `core.hooksPath` of the open folders' repositories names, as paths of the workspace. */
export async function hookPlaces(fs: FileSystem): Promise<string[]> {
  const found = await Promise.all(fs.folders.map((_, folder) => hooksOf(fs, folder).catch(() => undefined)));
  return found.filter((place) => place !== undefined);
}

async function hooksOf(fs: FileSystem, folder: number): Promise<string | undefined> {
  const at = { folder, path: '.git/config' };
  if ((await fs.stat(at))?.type !== 'file') return undefined;
  const text = decodeText((await fs.read(at)).bytes) ?? '';
  const named = /^\s*hookspath\s*=\s*"?([^"\r\n#;]+?)"?\s*$/im.exec(text)?.[1];
  if (named === undefined) return undefined;
  // One outside the folder is out of reach anyway.
  const { path } = parsePath(named, [{ name: '' }]);
  return path === '' ? undefined : formatPath({ folder, path }, fs.folders);
}
