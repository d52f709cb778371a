/**
 * Shared packages: agents with their prompt files and skills. A package is a folder with a manifest, or one JSON file that contains the
 * manifest and all texts. Its files are data of unknown origin: whatever is not exactly of the form below makes the whole package unusable.
 */

import { visibleLine } from '../../core/words/visible-text.ts';
import { encodeText, hashOf } from '../../workspace/content.ts';
import { filesProblem, isInstallable, leftOutReason, pathProblem } from './paths.ts';

/** The name of the manifest in the folder of a package, and the end of the name of a package in one file. */
export const MANIFEST = 'kedge-package.json';
export const FILE_ENDING = '.kedge.json';

export const MAX_FILES = 100;
/** The maximum size of one file and of all files of a package, in bytes. */
export const MAX_FILE_BYTES = 200_000;
export const MAX_PACKAGE_BYTES = 1_000_000;
/** A package in one file is larger than its texts, because JSON escapes characters. */
export const MAX_JSON_BYTES = 4_000_000;
const MAX_DESCRIPTION = 500;
const MAX_VERSION = 40;

/** `path` is, for example, `agents/style.md`, and `text` is exactly the text of the file. */
export type PackageFile = { path: string; text: string };

/** `leftOut` are sentences about what the package asks for and never gets. The digest is that of everything that is installed. */
export type SharedPackage = {
  name: string;
  version: string;
  description: string;
  files: readonly PackageFile[];
  leftOut: readonly string[];
  digest: string;
};

/** Where a package comes from. `address` is a path or an address of Git, as it was written. `commit` is the commit that was read. */
export type PackageSource = { kind: 'file' | 'folder' | 'git'; address: string; commit?: string };

/** An error of sharing, as a sentence for the user. */
export class SharingError extends Error {
  override name = 'SharingError';
}

/** The manifest of a package. `paths` are the files to read, in their order. */
export type Manifest = { name: string; version: string; description: string; paths: readonly string[]; leftOut: readonly string[] };

const FIELDS = new Set(['kedgePackage', 'name', 'version', 'description', 'files']);

/** Reads a manifest, whose `files` is a list of paths or an object with texts by path. @throws SharingError */
export function readManifest(text: string): Manifest & { texts?: ReadonlyMap<string, string> } {
  const value = parsedObject(text);
  if (value.get('kedgePackage') !== 1)
    throw new SharingError(`This is not a package that this version of Kedge can read: ${MANIFEST} must begin with "kedgePackage": 1.`);
  const name = value.get('name');
  if (typeof name !== 'string' || name === '') throw new SharingError('The package has no name.');
  const [version, description] = [textIn(value, 'version', MAX_VERSION), textIn(value, 'description', MAX_DESCRIPTION)];
  // It stands among the words of Kedge.
  if (!/^[\w.+-]*$/.test(version)) throw new SharingError('The version of the package may contain only letters, digits and . + - _');
  const files = value.get('files');
  const texts = Array.isArray(files) || typeof files !== 'object' || files === null ? undefined : textsOf(files);
  const paths = texts ? [...texts.keys()] : files;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string') || paths.length === 0)
    throw new SharingError('The package has no list of files.');
  if (paths.length > MAX_FILES) throw new SharingError(`The package has more than ${MAX_FILES} files.`);
  const problem = paths.map(pathProblem).find((each) => each !== undefined) ?? filesProblem(paths);
  if (problem) throw new SharingError(problem);
  const unknown = [...value.keys()].filter((field) => !FIELDS.has(field));
  const leftOut = [...unknown.map(fieldReason), ...paths.flatMap((path) => leftOutReason(path) ?? [])];
  const wanted = paths.filter(isInstallable);
  if (wanted.length === 0) throw new SharingError('The package contains no agent, prompt file or skill.');
  return { name: visibleLine(name.slice(0, 100)), version, description, paths: wanted, leftOut, ...(texts && { texts }) };
}

/** @throws SharingError if a text is missing, or too large or no text */
export async function packageOf(manifest: Manifest, texts: ReadonlyMap<string, string>): Promise<SharedPackage> {
  const { name, version, description, leftOut } = manifest;
  const files = [...manifest.paths].sort().map((path) => {
    const text = texts.get(path);
    if (text === undefined) throw new SharingError(`The package names ${path}, which does not exist.`);
    const problem = textProblem(text);
    if (problem) throw new SharingError(`${path} ${problem}`);
    return { path, text };
  });
  const size = files.reduce((total, { text }) => total + encodeText(text).length, 0);
  if (size > MAX_PACKAGE_BYTES) throw new SharingError(`The package is larger than ${MAX_PACKAGE_BYTES / 1_000} kB.`);
  return { name, version, description, files, leftOut, digest: await digestOf({ name, version, description, files }) };
}

/** Reads a package in one file. @throws SharingError */
export async function readPackageText(text: string): Promise<SharedPackage> {
  const manifest = readManifest(text);
  if (!manifest.texts) throw new SharingError(`This file lists the files of a package, but not their texts. Import its folder.`);
  return packageOf(manifest, manifest.texts);
}

type Contents = Pick<SharedPackage, 'name' | 'version' | 'description' | 'files'>;

/** Returns the text of the package as one file. Texts are lists of lines, so that people can read and compare them. */
export function packageText({ name, version, description, files }: Contents): string {
  const texts = Object.fromEntries(files.map(({ path, text }) => [path, text.split('\n')]));
  return `${JSON.stringify({ kedgePackage: 1, name, version, description, files: texts }, null, 2)}\n`;
}

/** Returns the manifest of the package as a folder. */
export function manifestText({ name, version, description, files }: Contents): string {
  return `${JSON.stringify({ kedgePackage: 1, name, version, description, files: files.map(({ path }) => path) }, null, 2)}\n`;
}

/** The form and order of the files in the source do not count. */
export async function digestOf({ name, version, description, files }: Contents): Promise<string> {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ path, text }) => [path, text]);
  return hashOf(encodeText(JSON.stringify([name, version, description, sorted])));
}

function parsedObject(text: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new SharingError('The package is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SharingError('The package is not an object of JSON.');
  return new Map(Object.entries(value));
}

function textIn(value: ReadonlyMap<string, unknown>, field: string, most: number): string {
  const text = value.get(field) ?? '';
  if (typeof text !== 'string' || text.length > most || !text.isWellFormed())
    throw new SharingError(`The ${field} of the package is not a text of at most ${most} characters.`);
  return text;
}

/** A text is written as a list of its lines, or as one text. */
function textsOf(files: object): Map<string, string> {
  const entries = Object.entries(files).map(([path, value]): [string, string] => {
    if (typeof value === 'string') return [path, value];
    if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return [path, value.join('\n')];
    throw new SharingError('The text of each file of a package must be a text, or a list of lines.');
  });
  return new Map(entries);
}

function textProblem(text: string): string | undefined {
  if (!text.isWellFormed() || text.includes('\0')) return 'is not a text file.';
  return encodeText(text).length > MAX_FILE_BYTES ? `is larger than ${MAX_FILE_BYTES / 1_000} kB.` : undefined;
}

function fieldReason(field: string): string {
  const shown = visibleLine(JSON.stringify(field.slice(0, 40).toWellFormed()));
  return `The manifest has a field ${shown}, which has no effect: a package contains only agents, prompt files and skills.`;
}
