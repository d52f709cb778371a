/** Reads from the index of a git repository which files git tracks. */
import type { FileSystem } from '../../workspace/types.ts';

/** Returns the paths of the tracked files in an open folder. Returns undefined if the index cannot be read; git may then track any file. */
export async function trackedIn(folder: number, fs: FileSystem): Promise<ReadonlySet<string> | undefined> {
  try {
    const at = await fs.canonical({ folder, path: '.git/index' });
    return at && namesIn((await fs.read(at)).bytes);
  } catch {
    return undefined;
  }
}

const HEADER = 12;
/** The number of bytes in an entry before its name: times, mode, size, content hash and flags. */
const FIXED = 62;

/**
 * Returns the file names in an index. Returns undefined for other files, for version 4 (which shortens names), and for an index that does
 * not contain all names.
 */
export function namesIn(bytes: Uint8Array): ReadonlySet<string> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER || view.getUint32(0) !== 0x44495243 || view.getUint32(4) > 3) return undefined;
  const text = new TextDecoder();
  const names = new Set<string>();
  let at = HEADER;
  for (let left = view.getUint32(8); left > 0; left--) {
    if (at + FIXED > bytes.length) return undefined;
    const flags = view.getUint16(at + FIXED - 2);
    const start = at + FIXED + (flags & 0x4000 ? 2 : 0);
    const end = bytes.indexOf(0, start);
    if (end < 0 || Math.min(end - start, 0xfff) !== (flags & 0xfff)) return undefined;
    names.add(text.decode(bytes.subarray(start, end)));
    at += (end - at + 8) & ~7;
  }
  return /link|sdir/.test(text.decode(bytes.subarray(at))) ? undefined : names;
}
