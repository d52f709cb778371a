/** Finds the directories from which the git hooks of a repository run, besides `.git/hooks`. */

import { decodeText } from '../../workspace/content.ts';
import { formatPath, parsePath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';

/**
 * Returns the directories in `core.hooksPath` of the open folders' repositories and the files that their git configuration includes, as
 * workspace paths.
 */
export async function hookPlaces(fs: FileSystem): Promise<string[]> {
  const found = await Promise.all(fs.folders.map((_, folder) => hooksOf(fs, folder).catch(() => [])));
  return found.flat();
}

/** A git hook. `place` is the path of its file with symbolic links resolved. */
type Hook = { place: string; text: string };

/** Returns the git hooks of the open folders. */
export async function hookScripts(fs: FileSystem): Promise<Hook[]> {
  const usual = fs.folders.map((_, folder) => formatPath({ folder, path: '.git/hooks' }, fs.folders));
  // husky sets `core.hooksPath` to its own directory `_` inside the directory that contains the user's hooks.
  const named = (await hookPlaces(fs)).flatMap((place) => [place, place.replace(/\/_$/, '')]);
  const scripts = await Promise.all([...new Set([...usual, ...named])].map((place) => scriptsIn(fs, place).catch(() => [])));
  return scripts.flat();
}

async function scriptsIn(fs: FileSystem, place: string): Promise<Hook[]> {
  const at = await fs.canonical(parsePath(place, fs.folders));
  if (!at) return [];
  const entries = (await fs.list(at)).filter(({ name, type }) => type === 'file' && /^[a-z]+(?:-[a-z]+)*$/.test(name));
  // A hook that cannot be read or is outside the workspace must not prevent the other hooks from being returned.
  const found = await Promise.all(entries.map(({ name }) => hookAt(fs, { ...at, path: `${at.path}/${name}` }).catch(() => undefined)));
  return found.filter((hook) => hook !== undefined);
}

async function hookAt(fs: FileSystem, entry: Location): Promise<Hook | undefined> {
  const at = await fs.canonical(entry);
  if (!at) return undefined;
  const place = formatPath(at, fs.folders);
  // Git can run a hook that Kedge cannot read, so the hook is returned without its text.
  const text = await fs
    .read(at)
    .then(({ bytes }) => decodeText(bytes))
    .catch(() => undefined);
  return { place, text: text ?? '' };
}

async function hooksOf(fs: FileSystem, folder: number): Promise<string[]> {
  const at = await fs.canonical({ folder, path: '.git/config' });
  if (!at || (await fs.stat(at))?.type !== 'file') return [];
  const text = decodeText((await fs.read(at)).bytes) ?? '';
  // Git uses the last entry. All entries are returned, because several entries are suspicious.
  const named = [...text.matchAll(/(?:^|\])[ \t]*hookspath[ \t]*=[ \t]*(?:"([^"\r\n]+)"|([^"\r\n#;]+))/gim)].map(
    ([, quoted, plain = '']) => quoted ?? plain.trim(),
  );
  const included = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(?:"([^"\r\n]+)"|([^"\r\n#;]+))/gim)].map(([, quoted, plain = '']) =>
    (quoted ?? plain.trim()).replace(/^(?![a-z]:|[\\/~])/i, '.git/'),
  );
  const name = fs.folders[folder]?.name ?? '';
  return [...named, ...included].flatMap((each) => {
    // An absolute path may point into the folder. It is recognized by the name of the folder. A path outside the folder cannot be written
    // anyway.
    const inner = /^(?:[a-z]:)?[\\/]/i.test(each) ? each.replaceAll('\\', '/').split(`/${name}/`).slice(1).join(`/${name}/`) : each;
    try {
      const { path } = parsePath(inner, [{ name: '' }]);
      return path === '' ? [] : [formatPath({ folder, path }, fs.folders)];
    } catch {
      return [];
    }
  });
}
