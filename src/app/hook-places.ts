/** Where a repository runs hooks from, besides the usual places. */

import { decodeText } from '../workspace/content.ts';
import { formatPath, parsePath } from '../workspace/paths.ts';
import type { FileSystem } from '../workspace/types.ts';

/** The directories that `core.hooksPath` of the open folders' repositories names, and files that their configuration includes, as paths of the workspace. */
export async function hookPlaces(fs: FileSystem): Promise<string[]> {
  const found = await Promise.all(fs.folders.map((_, folder) => hooksOf(fs, folder).catch(() => [])));
  return found.flat();
}

async function hooksOf(fs: FileSystem, folder: number): Promise<string[]> {
  const at = await fs.canonical({ folder, path: '.git/config' });
  if (!at || (await fs.stat(at))?.type !== 'file') return [];
  const text = decodeText((await fs.read(at)).bytes) ?? '';
  // The last one counts for git, but who writes several means no good with any.
  const named = [...text.matchAll(/(?:^|\])[ \t]*hookspath[ \t]*=[ \t]*(?:"([^"\r\n]+)"|([^"\r\n#;]+))/gim)].map(
    ([, quoted, plain = '']) => quoted ?? plain.trim(),
  );
  const included = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(?:"([^"\r\n]+)"|([^"\r\n#;]+))/gim)].map(([, quoted, plain = '']) =>
    (quoted ?? plain.trim()).replace(/^(?![a-z]:|[\\/~])/i, '.git/'),
  );
  const name = fs.folders[folder]?.name ?? '';
  return [...named, ...included].flatMap((each) => {
    // An absolute one may lie in the folder, by its name. One outside is out of reach anyway.
    const inner = /^(?:[a-z]:)?[\\/]/i.test(each) ? each.replaceAll('\\', '/').split(`/${name}/`).slice(1).join(`/${name}/`) : each;
    try {
      const { path } = parsePath(inner, [{ name: '' }]);
      return path === '' ? [] : [formatPath({ folder, path }, fs.folders)];
    } catch {
      return [];
    }
  });
}
