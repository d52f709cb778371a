/**
 * The packages that the user has installed. Each is in a folder of its own, and a registry file says which folders count. The registry is
 * replaced in one step, so that a program that is killed leaves either the old package or the new one.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathProblem } from '../../../app/sharing/paths.ts';
import type { Installed } from '../../../app/sharing/preview.ts';
import {
  digestOf,
  MAX_FILE_BYTES,
  type PackageFile,
  type PackageSource,
  type SharedPackage,
  SharingError,
} from '../../../app/sharing/shared-package.ts';
import { makeDirectory, replaceFile } from '../../../sessions/directory.ts';
import { decodeText, encodeText, hashOf } from '../../../workspace/content.ts';
import { exclusiveIn } from '../exclusive.ts';
import { readRealUpTo } from '../files/real-files.ts';
import { FOLDER, packagesFolder, type RegistryEntry, readRegistry } from './registry.ts';

/** An installed package. `changedByHand` are the files that were changed, deleted or added since it was installed. */
export type InstalledPackage = Omit<RegistryEntry, 'source' | 'folder' | 'files'> & {
  source: PackageSource;
  /** The absolute path of the folder with its files. */
  directory: string;
  paths: readonly string[];
  changedByHand: readonly string[];
};

export class PackageStore {
  /** The user's folder of Kedge. */
  readonly #folder: string;
  readonly #registry: string;
  readonly #exclusive: ReturnType<typeof exclusiveIn>;

  constructor(userFolder: string) {
    const { folder, registry } = packagesFolder(userFolder);
    this.#folder = folder;
    this.#registry = registry;
    this.#exclusive = exclusiveIn(join(this.#folder, 'locks'));
  }

  /** Lists the packages by name. @throws SharingError if the registry cannot be read */
  async list(): Promise<InstalledPackage[]> {
    const packages = this.#read().toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return Promise.all(packages.map(async (entry) => this.#installed(entry)));
  }

  async find(name: string): Promise<InstalledPackage | undefined> {
    return (await this.list()).find((each) => each.name === name);
  }

  /** Returns the files of a package as they are now. */
  async contents({ directory, paths, changedByHand }: InstalledPackage): Promise<Installed> {
    const files = await Promise.all(
      paths.map(async (path): Promise<PackageFile[]> => {
        const now = await textAt(join(directory, path));
        return now === undefined ? [] : [{ path, text: now }];
      }),
    );
    return { files: files.flat(), changedByHand };
  }

  /**
   * Stores a package in place of the one with its name. `replaced` is the digest of the package that the user saw it replace, or undefined
   * for none. @throws SharingError if another package has been stored meanwhile
   */
  async install(pack: SharedPackage, source: PackageSource, replaced: string | undefined): Promise<InstalledPackage> {
    const { name, version, description, files } = pack;
    if ((await digestOf(pack)) !== pack.digest) throw new SharingError('The package has changed since it was read. Nothing was stored.');
    return this.#exclusive('packages', async () => {
      const packages = this.#read();
      this.#sweep(packages);
      const before = packages.find((each) => each.name === name);
      if (before?.digest !== replaced) throw new SharingError(`The package ${name} has changed meanwhile. Nothing was stored. Try again.`);
      const folder = `${name}-${crypto.randomUUID().slice(0, 8)}`;
      const directory = join(this.#folder, folder);
      makeDirectory(this.#folder);
      mkdirSync(directory);
      const digests: Record<string, string> = {};
      for (const { path, text: content } of files) {
        const problem = pathProblem(path);
        if (problem) throw new SharingError(problem);
        const bytes = encodeText(content);
        makeDirectory(dirname(join(directory, path)));
        writeFileSync(join(directory, path), bytes, { flag: 'wx', mode: 0o600 });
        digests[path] = await hashOf(bytes);
      }
      const now = Date.now();
      const entry: RegistryEntry = {
        ...{ name, version, description, source: { ...source }, digest: pack.digest, folder, files: digests },
        ...{ installedAt: before?.installedAt ?? now, updatedAt: now },
      };
      this.#write([...packages.filter((each) => each !== before), entry]);
      if (before) rmSync(join(this.#folder, before.folder), { recursive: true, force: true });
      return this.#installed(entry);
    });
  }

  /** @throws SharingError if there is no such package */
  async remove(name: string): Promise<void> {
    await this.#exclusive('packages', async () => {
      const packages = this.#read();
      const entry = packages.find((each) => each.name === name);
      if (!entry) throw new SharingError(`There is no package ${name}. To list the packages, run kedge agents.`);
      this.#write(packages.filter((each) => each !== entry));
      rmSync(join(this.#folder, entry.folder), { recursive: true, force: true });
    });
  }

  async #installed({ folder, files, source, ...entry }: RegistryEntry): Promise<InstalledPackage> {
    const directory = join(this.#folder, folder);
    const changed = await Promise.all(
      Object.entries(files).map(async ([path, hash]) => ((await hashAt(join(directory, path))) === hash ? [] : [path])),
    );
    const { commit, ...place } = source;
    return {
      ...entry,
      source: { ...place, ...(commit !== undefined && { commit }) },
      directory,
      paths: Object.keys(files).sort(),
      changedByHand: [...changed.flat(), ...addedIn(directory, files)].sort(),
    };
  }

  #read(): RegistryEntry[] {
    return readRegistry(this.#registry);
  }

  #write(packages: readonly RegistryEntry[]): void {
    replaceFile(this.#registry, `${JSON.stringify({ version: 1, packages }, null, 2)}\n`);
  }

  /** Deletes folders that a killed program has left. */
  #sweep(packages: readonly RegistryEntry[]): void {
    if (!statSync(this.#registry, { throwIfNoEntry: false })) return;
    const used = new Set(packages.map(({ folder }) => folder));
    for (const entry of readdirSync(this.#folder, { withFileTypes: true }))
      if (entry.isDirectory() && FOLDER.test(entry.name) && !used.has(entry.name))
        rmSync(join(this.#folder, entry.name), { recursive: true, force: true });
  }
}

/** Returns the files that the user has put into the folder of a package. Hidden files are those of other programs. */
function addedIn(directory: string, files: Readonly<Record<string, string>>): string[] {
  if (!statSync(directory, { throwIfNoEntry: false })) return [];
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  const paths = entries.flatMap((entry) => (entry.isDirectory() ? [] : [relative(directory, join(entry.parentPath, entry.name))]));
  return paths.map((path) => path.split(sep).join('/')).filter((path) => files[path] === undefined);
}

async function hashAt(path: string): Promise<string | undefined> {
  const bytes = await bytesAt(path);
  return bytes && hashOf(bytes);
}

async function textAt(path: string): Promise<string | undefined> {
  const bytes = await bytesAt(path);
  return bytes && decodeText(bytes);
}

/** Returns undefined for a file that is missing, replaced by a link, or much larger than it was. */
async function bytesAt(path: string): Promise<Uint8Array | undefined> {
  try {
    if (statSync(path).size === 0) return new Uint8Array();
    return await readRealUpTo(path, MAX_FILE_BYTES * 2);
  } catch {
    return undefined;
  }
}
