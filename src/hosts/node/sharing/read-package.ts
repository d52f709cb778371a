/** Reads a package from a file, a folder or a Git repository, without storing anything. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import {
  MANIFEST,
  MAX_FILE_BYTES,
  MAX_JSON_BYTES,
  type PackageSource,
  packageOf,
  readManifest,
  readPackageText,
  type SharedPackage,
  SharingError,
} from '../../../app/sharing/shared-package.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { decodeText } from '../../../workspace/content.ts';
import { readRealUpTo } from '../files/real-files.ts';
import { gitAddress, packageFromGit } from './git-package.ts';

export type ReadPackage = { pack: SharedPackage; source: PackageSource };

/** `address` is a path from `directory`, or an address of Git with an optional `#ref:path`. @throws SharingError */
export async function readPackage(address: string, directory: string, signal: AbortSignal): Promise<ReadPackage> {
  const written = address.trim();
  if (written === '' || written.startsWith('-')) throw new SharingError('Name a file, a folder or an address of Git.');
  const path = resolve(directory, written.startsWith('~/') ? join(homedir(), written.slice(2)) : written);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return { pack: await packageFile(path), source: { kind: 'file', address: path } };
  if (stat?.isDirectory()) return { pack: await packageFolder(path), source: { kind: 'folder', address: path } };
  if (stat) throw new SharingError(`${visibleLine(path)} is neither a file nor a folder.`);
  const read = await readGit(written, signal);
  if (!read) throw new SharingError(`${visibleLine(written.slice(0, 200))} does not exist, and is no address of Git.`);
  return read;
}

/** Reads the package from its source again. @throws SharingError */
export async function readAgain(source: PackageSource, signal: AbortSignal): Promise<ReadPackage> {
  const read = source.kind === 'git' ? await readGit(source.address, signal) : await readPackage(source.address, '/', signal);
  if (read?.source.kind === source.kind) return read;
  throw new SharingError(`${visibleLine(source.address)} is no ${source.kind} any more.`);
}

async function readGit(address: string, signal: AbortSignal): Promise<ReadPackage | undefined> {
  const git = gitAddress(address);
  if (!git) return undefined;
  const { pack, commit } = await packageFromGit(git, signal);
  return { pack, source: { kind: 'git', address, commit } };
}

async function packageFile(path: string): Promise<SharedPackage> {
  if (basename(path) === MANIFEST) return packageFolder(join(path, '..'));
  return readPackageText(await textAt(realpathSync(path), path, MAX_JSON_BYTES));
}

/** Only the files that the manifest names are read. */
async function packageFolder(path: string): Promise<SharedPackage> {
  const folder = realpathSync(path);
  if (!lstatSync(join(folder, MANIFEST), { throwIfNoEntry: false }))
    throw new SharingError(
      `${visibleLine(path)} is no package: it has no ${MANIFEST}. To make one: kedge agents export NAME --output FOLDER`,
    );
  const manifest = readManifest(await textAt(join(folder, MANIFEST), MANIFEST, MAX_JSON_BYTES));
  if (manifest.texts) return packageOf(manifest, manifest.texts);
  const texts = new Map<string, string>();
  for (const each of manifest.paths) texts.set(each, await textAt(join(folder, each), each, MAX_FILE_BYTES));
  return packageOf(manifest, texts);
}

/** The path contains no links, so no file of a package can lead out of its folder. @throws SharingError */
async function textAt(path: string, shown: string, most: number): Promise<string> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) throw new SharingError(`The package names ${shown}, which does not exist.`);
  if (!stat.isFile()) throw new SharingError(`${shown} is a link or not a file, so the package was not read.`);
  if (stat.size > most) throw new SharingError(`${shown} is larger than ${most / 1_000} kB.`);
  if (stat.size === 0) return '';
  const bytes = await readRealUpTo(path, most).catch(() => undefined);
  const text = bytes && decodeText(bytes);
  if (text === undefined) throw new SharingError(`${shown} is not a text file, or is behind a link.`);
  return text;
}
