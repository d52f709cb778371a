/**
 * Opens files and directories at their real paths. Minutes may pass between resolving and opening a path, for example until the user
 * approves, and during this time a symbolic link may replace a part of the path. Pipes and devices are refused, because opening a pipe
 * could block forever.
 */
import {
  close,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readFile,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PathError } from '../../../workspace/paths.ts';
import type { FileStat } from '../../../workspace/types.ts';

/** Files of up to this number of bytes are read synchronously, because the read takes less time than handing it to another thread. */
const SMALL = 1_000_000;
/**
 * How often opening a file is tried. An editor may replace the file at the same moment, so that the opened file is no longer at the path.
 */
const TRIES = 3;

type OpenFile = { file: number; size: number };

/** Opens a file without blocking, even if the path is a pipe. @throws Error if it is not a regular file. */
function openRegular(path: string, flags = 0): OpenFile {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  const stats = fstatSync(file);
  if (stats.isFile()) return { file, size: stats.size };
  closeSync(file);
  throw new Error(`${path} is not a regular file. Use the path of a regular file.`);
}

/** Reads a regular file and follows links. @throws Error for anything else. */
export function readRegular(path: string): Buffer {
  return readAtOnce(openRegular(path));
}

/** Reads the file at a real path. `shown` is its path for messages. @throws PathError when the path now contains a symbolic link. */
export async function readReal(path: string, shown: string): Promise<Uint8Array> {
  return readOpened(openReal(path, shown));
}

/**
 * Reads a file like `readReal`, or returns undefined when it is empty or longer than `most` bytes. Pseudo files of the system report a size
 * of 0.
 */
export async function readRealUpTo(path: string, most: number): Promise<Uint8Array | undefined> {
  const opened = openReal(path, path);
  if (opened.size > 0 && opened.size <= most) return readOpened(opened);
  closeSync(opened.file);
  return undefined;
}

async function readOpened(opened: OpenFile): Promise<Uint8Array> {
  if (opened.size <= SMALL) return readAtOnce(opened);
  return promisify(readFile)(opened.file).finally(() => promisify(close)(opened.file));
}

function readAtOnce({ file }: OpenFile): Buffer {
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads `length` bytes from the offset `from`, or fewer at the end of the file. @throws PathError as `readReal` does. */
export async function readRealRange(path: string, shown: string, from: number, length: number): Promise<Uint8Array> {
  const { file } = openReal(path, shown);
  try {
    const buffer = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await promisify(read)(file, buffer, filled, length - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await promisify(close)(file);
  }
}

export type DirectoryEntry = { name: string; type: FileStat['type']; link?: boolean };

/** Lists the directory at a real path. The type of a symbolic link is that of its target. @throws PathError as `readReal` does. */
export async function listReal(path: string, shown: string): Promise<DirectoryEntry[]> {
  const directory = openDirectory(path, shown);
  try {
    if (!isFileAt(directory, path)) throw movedError(shown);
    // The path of the open handle cannot be redirected to another directory while it is used.
    const handle = `/proc/self/fd/${directory}`;
    const entries = await readdir(existsSync(handle) ? handle : path, { withFileTypes: true });
    if (!isFileAt(directory, path)) throw movedError(shown);
    return entries.map((entry): DirectoryEntry => {
      if (!entry.isSymbolicLink()) return { name: entry.name, type: typeOf(entry) };
      return { name: entry.name, type: typeOf(targetOf(join(path, entry.name))), link: true };
    });
  } finally {
    closeSync(directory);
  }
}

function openDirectory(path: string, shown: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(code) ? movedError(shown) : error;
  }
}

function typeOf(found: Pick<Stats, 'isFile' | 'isDirectory'> | undefined): FileStat['type'] {
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'directory' : 'other';
}

/** Returns undefined for a symbolic link whose target is missing or not accessible. */
export function targetOf(link: string): Stats | undefined {
  try {
    return statSync(link);
  } catch {
    return undefined;
  }
}

/** @throws PathError unless the path exists and contains no symbolic link. */
export function expectReal(path: string, shown: string): void {
  if (realPathOf(path) !== path) throw movedError(shown);
}

function openReal(path: string, shown: string): OpenFile {
  for (let left = TRIES; left > 0; left--) {
    let opened: OpenFile;
    try {
      opened = openRegular(path, constants.O_NOFOLLOW ?? 0);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? movedError(shown) : error;
    }
    if (isFileAt(opened.file, path)) return opened;
    closeSync(opened.file);
  }
  throw movedError(shown);
}

/** Returns true if the open file is the file at this path and the path contains no symbolic link. */
function isFileAt(file: number, path: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${file}`) === path;
  } catch {
    // Without /proc, the open file is compared with the file at the path.
  }
  const [opened, there] = [fstatSync(file, { bigint: true }), lstatSync(path, { bigint: true, throwIfNoEntry: false })];
  return opened.ino === there?.ino && opened.dev === there.dev && realPathOf(path) === path;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function movedError(shown: string): PathError {
  return new PathError(`${shown} no longer leads to the same place. Check the path and try again.`);
}
