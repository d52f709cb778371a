/**
 * What is opened at the moment it is used. A path was resolved earlier, perhaps before a question that took minutes to answer, and a link may have
 * taken the place of a directory on the way since. A pipe or a device in the place of a file would be waited for without end.
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
import { PathError } from '../../workspace/paths.ts';
import type { FileStat } from '../../workspace/types.ts';

/** Up to here a file is read at once: handing it to another thread and back takes longer than the reading. */
const SMALL = 1_000_000;
/** A file that is saved at this very moment may be another one by the time it is looked at. */
const TRIES = 3;

type Opened = { file: number; size: number };

/** @throws Error for what is no regular file, without waiting for whoever is at its other end. */
function openRegular(path: string, flags = 0): Opened {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  const found = fstatSync(file);
  if (found.isFile()) return { file, size: found.size };
  closeSync(file);
  throw new Error(`${path} is no regular file.`);
}

/** A regular file, also through links. @throws Error for anything else. */
export function readRegular(path: string): Buffer {
  return readAtOnce(openRegular(path));
}

/** The file whose real path this is. @throws PathError where a link leads elsewhere by now; `shown` is what to call it. */
export async function readReal(path: string, shown: string): Promise<Uint8Array> {
  return readOpened(openReal(path, shown));
}

/** The same where it is not empty and no longer than that; what the system only pretends to be a file has no size either. */
export async function readRealUpTo(path: string, most: number): Promise<Uint8Array | undefined> {
  const opened = openReal(path, path);
  if (opened.size > 0 && opened.size <= most) return readOpened(opened);
  closeSync(opened.file);
  return undefined;
}

async function readOpened(opened: Opened): Promise<Uint8Array> {
  if (opened.size <= SMALL) return readAtOnce(opened);
  return promisify(readFile)(opened.file).finally(() => promisify(close)(opened.file));
}

function readAtOnce({ file }: Opened): Buffer {
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** So many bytes of it from there on, fewer at its end. */
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

export type Listed = { name: string; type: FileStat['type']; link?: boolean };

/** What is in the directory whose real path this is; of a link, the type of what it leads to. @throws as `readReal` does. */
export async function listReal(path: string, shown: string): Promise<Listed[]> {
  expectReal(path, shown);
  const directory = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0));
  try {
    if (!isAt(directory, path)) throw moved(shown);
    // By its handle where there is such a path: by its name it may be another one by then.
    const handle = `/proc/self/fd/${directory}`;
    const entries = await readdir(existsSync(handle) ? handle : path, { withFileTypes: true });
    expectReal(path, shown);
    return entries.map((entry): Listed => {
      if (!entry.isSymbolicLink()) return { name: entry.name, type: typeOf(entry) };
      return { name: entry.name, type: typeOf(targetOf(join(path, entry.name))), link: true };
    });
  } finally {
    closeSync(directory);
  }
}

function typeOf(found: Pick<Stats, 'isFile' | 'isDirectory'> | undefined): FileStat['type'] {
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'directory' : 'other';
}

/** Whatever a link leads to that cannot be looked at is nothing to speak of. */
export function targetOf(link: string): Stats | undefined {
  try {
    return statSync(link);
  } catch {
    return undefined;
  }
}

/** @throws PathError unless this is the real path of something. */
export function expectReal(path: string, shown: string): void {
  if (realPathOf(path) !== path) throw moved(shown);
}

function openReal(path: string, shown: string): Opened {
  for (let left = TRIES; left > 0; left--) {
    let opened: Opened;
    try {
      opened = openRegular(path, constants.O_NOFOLLOW ?? 0);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? moved(shown) : error;
    }
    if (isAt(opened.file, path)) return opened;
    closeSync(opened.file);
  }
  throw moved(shown);
}

/** Whether an open file is the one at this path, with no link on the way. */
function isAt(file: number, path: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${file}`) === path;
  } catch {
    // There is no such directory: where it is not mounted, the file is compared to what the path leads to.
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

function moved(shown: string): PathError {
  return new PathError(`${shown} is no longer at that place: it was moved, or a link was put on the way to it.`);
}
