/** Describes the imported packages for the page that lists what is installed. */
import { sep } from 'node:path';
import { SharingError } from '../../../../app/sharing/shared-package.ts';
import { visibleLine } from '../../../../core/words/visible-text.ts';
import type { PackageEntry } from '../../../../protocol/agents-page.ts';
import { type InstalledPackage, PackageStore } from '../../../node/sharing/package-store.ts';
import { userFolder } from '../../../node/user-files.ts';
import { sourceWords } from './preview-text.ts';

/** With `problem`, the list of packages cannot be read. */
export async function importedPackages(): Promise<{ packages: InstalledPackage[]; problem?: string }> {
  try {
    return { packages: await new PackageStore(userFolder()).list() };
  } catch (error) {
    if (error instanceof SharingError) return { packages: [], problem: error.message };
    throw error;
  }
}

export function packageEntry({ name, version, source, digest, updatedAt, changedByHand, paths }: InstalledPackage): PackageEntry {
  const number = (room: string, noun: string) => {
    const names = new Set(paths.flatMap((path) => (path.startsWith(`${room}/`) ? [path.split('/')[1]] : [])));
    return names.size > 0 ? [`${names.size} ${noun}${names.size === 1 ? '' : 's'}`] : [];
  };
  const contents = [...number('agents', 'agent'), ...number('prompts', 'prompt file'), ...number('skills', 'skill')].join(', ');
  return { name, version: visibleLine(version), contents, source: sourceWords(source), digest, updatedAt, changedByHand };
}

/** Says which package a file belongs to, with its short digest. Returns undefined for a file of no package. */
export function packageOf(packages: readonly InstalledPackage[], path: string | undefined): string | undefined {
  const owner = packages.find(({ directory }) => path?.startsWith(`${directory}${sep}`));
  if (!owner || path === undefined) return undefined;
  const { name, version, digest, directory, changedByHand } = owner;
  const inner = path.slice(directory.length + 1).replaceAll('\\', '/');
  const changed = changedByHand.includes(inner) ? ', changed by hand' : '';
  return `package ${name} ${visibleLine(version)}, digest ${digest.slice(0, 12)}${changed}`;
}
