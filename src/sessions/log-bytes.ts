/** Reads parts of log files. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const NEWLINE = 0x0a;

/** Reads the bytes from `start` to `end`, or fewer if a network drive does not have all of them yet. */
export function bytesOf(file: string, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  const handle = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, start));
  } finally {
    closeSync(handle);
  }
}

/** Reads the bytes after the last newline. */
export function lastLine(handle: number): Buffer {
  let { size } = fstatSync(handle);
  const pieces: Buffer[] = [];
  while (size > 0) {
    const piece = Buffer.alloc(Math.min(size, 64 * 1024));
    readSync(handle, piece, 0, piece.length, size - piece.length);
    const newline = piece.lastIndexOf(NEWLINE);
    pieces.unshift(piece.subarray(newline + 1));
    if (newline >= 0) break;
    size -= piece.length;
  }
  return Buffer.concat(pieces);
}
