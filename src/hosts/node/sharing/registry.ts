/** The registry of installed packages: which folders contain them, and with which digests they were installed. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { pathProblem } from '../../../app/sharing/paths.ts';
import { SharingError } from '../../../app/sharing/shared-package.ts';

/** The names of the folders of packages. Folders with other names are never deleted. */
export const FOLDER = /^[a-z0-9][a-z0-9_-]{0,39}-[0-9a-f]{8}$/;
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(2_000);

/** `files` are the digests of the files by path, as they were installed. Dates are in milliseconds. */
const entrySchema = z.object({
  name: z.string().max(40),
  version: text,
  description: text,
  source: z.object({ kind: z.enum(['file', 'folder', 'git']), address: text, commit: text.optional() }),
  digest,
  installedAt: z.number(),
  updatedAt: z.number(),
  folder: z.string().regex(FOLDER),
  files: z.record(
    z.string().refine((path) => pathProblem(path) === undefined),
    digest,
  ),
});
const registrySchema = z.object({ version: z.literal(1), packages: z.array(entrySchema).max(1_000) });

export type RegistryEntry = z.infer<typeof entrySchema>;

/** The folder with the packages, and the registry in it. */
export function packagesFolder(userFolder: string): { folder: string; registry: string } {
  const folder = join(real(userFolder), 'packages');
  return { folder, registry: join(folder, 'packages.json') };
}

/** Returns the folders of the installed packages in the order of their names. A damaged registry has none. */
export function packageDirectories(userFolder: string): string[] {
  const { folder, registry } = packagesFolder(userFolder);
  try {
    return readRegistry(registry)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => join(folder, entry.folder));
  } catch {
    return [];
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** @throws SharingError if the file is not a registry, because writing it again would lose the packages */
export function readRegistry(file: string): RegistryEntry[] {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return registrySchema.parse(JSON.parse(content)).packages;
  } catch {
    throw new SharingError(`The list of packages in ${file} is damaged. Correct it, or delete it to install the packages again.`);
  }
}
