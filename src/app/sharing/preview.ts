/** Shows a user a package before it is stored: everything in it, what it asks for, and how it differs from what is installed. */
import { visibleText } from '../../core/words/visible-text.ts';
import { hunksOf, replacement } from '../../workspace/hunks.ts';
import { asksOf } from './asks.ts';
import { conflictsWith, itemsOf, type PackageItem, type TakenName } from './contents.ts';
import type { PackageFile, SharedPackage } from './shared-package.ts';

/** `lines` are those of the file, or those of a diff with their signs. Hidden characters in them are marked. */
export type ShownFile = { path: string; change: 'added' | 'changed' | 'removed' | 'same'; lines: readonly string[] };

/**
 * With `refusals`, the package cannot be stored. `asks` and `leftOut` are sentences. In an update, `newAsks` are those that the installed
 * package did not have, `files` are diffs, and `overwritten` are the files that were changed by hand, whose changes would be lost.
 */
export type PackagePreview = {
  name: string;
  version: string;
  description: string;
  digest: string;
  items: readonly PackageItem[];
  asks: readonly string[];
  newAsks: readonly string[];
  leftOut: readonly string[];
  refusals: readonly string[];
  files: readonly ShownFile[];
  overwritten: readonly string[];
};

/** The package that is installed. `files` are as they are now, and `changedByHand` are the paths of those that the user has changed. */
export type Installed = { files: readonly PackageFile[]; changedByHand: readonly string[] };

/** `taken` are the names of the user's own files and of other packages. */
export async function previewOf(pack: SharedPackage, taken: readonly TakenName[], installed?: Installed): Promise<PackagePreview> {
  const { name, version, description, digest, files, leftOut } = pack;
  const { items, refusals } = await itemsOf(pack);
  const asks = asksOf(items, files);
  const before = installed && new Set(asksOf((await itemsOf({ name, files: installed.files })).items, installed.files));
  return {
    ...{ name, version: visibleText(version), description: visibleText(description), digest, items, asks, leftOut },
    newAsks: before ? asks.filter((ask) => !before.has(ask)) : asks,
    refusals: [...refusals, ...conflictsWith(items, taken)],
    files: installed
      ? comparedFiles(installed.files, files)
      : files.map(({ path, text }) => ({ path, change: 'added', lines: shown(text) })),
    overwritten: installed?.changedByHand ?? [],
  };
}

function comparedFiles(before: readonly PackageFile[], after: readonly PackageFile[]): ShownFile[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].sort().map((path): ShownFile => {
    const [from, to] = [old.get(path), now.get(path)];
    if (from === to) return { path, change: 'same', lines: [] };
    if (from === undefined) return { path, change: 'added', lines: shown(to ?? '') };
    if (to === undefined) return { path, change: 'removed', lines: shown(from) };
    const hunks = hunksOf(from, to) ?? [replacement(from, to)];
    const lines = hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines.flatMap(shown)]);
    return { path, change: 'changed', lines };
  });
}

function textsOf(files: readonly PackageFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, text }) => [path, text]));
}

/** A long run of blanks could push the rest of a line out of sight. */
const PADDING = /(?<=\S)[ \t]{24,}(?=\S)|[ \t]{100,}/g;

function shown(text: string): string[] {
  return visibleText(text.replaceAll('\r\n', '\n'))
    .replace(PADDING, (run) => ` ⟨${run.length} blanks⟩ `)
    .split('\n');
}
