/** Where a repository runs hooks from, besides the usual places. */

import { decodeText } from '../../workspace/content.ts';
import { formatPath, parsePath } from '../../workspace/paths.ts';
import type { FileSystem, Location } from '../../workspace/types.ts';

/** The directories that `core.hooksPath` of the open folders' repositories names, and files that their configuration includes, as paths of the workspace. */
export async function hookPlaces(fs: FileSystem): Promise<string[]> {
  const found = await Promise.all(fs.folders.map((_, folder) => hooksOf(fs, folder).catch(() => [])));
  return found.flat();
}

/** A hook: where its file really lies, and its text. */
type Hook = { place: string; text: string };

/** The hooks that git runs in the open folders. */
export async function hookScripts(fs: FileSystem): Promise<Hook[]> {
  const usual = fs.folders.map((_, folder) => formatPath({ folder, path: '.git/hooks' }, fs.folders));
  // husky's own directory stands in that of the hooks.
  const named = (await hookPlaces(fs)).flatMap((place) => [place, place.replace(/\/_$/, '')]);
  const scripts = await Promise.all([...new Set([...usual, ...named])].map((place) => scriptsIn(fs, place).catch(() => [])));
  return scripts.flat();
}

async function scriptsIn(fs: FileSystem, place: string): Promise<Hook[]> {
  const at = await fs.canonical(parsePath(place, fs.folders));
  if (!at) return [];
  const entries = (await fs.list(at)).filter(({ name, type }) => type === 'file' && /^[a-z]+(?:-[a-z]+)*$/.test(name));
  // One that cannot be read, or that lies elsewhere, keeps nothing from the others.
  const found = await Promise.all(entries.map(({ name }) => hookAt(fs, { ...at, path: `${at.path}/${name}` }).catch(() => undefined)));
  return found.filter((hook) => hook !== undefined);
}

async function hookAt(fs: FileSystem, entry: Location): Promise<Hook | undefined> {
  const at = await fs.canonical(entry);
  if (!at) return undefined;
  const place = formatPath(at, fs.folders);
  // Git runs a hook that cannot be read here, too.
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
