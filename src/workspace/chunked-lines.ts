/** Reads lines from a file of any size while holding only one chunk and the requested lines in memory. */

import { joinedBytes } from '../core/bytes.ts';

const CHUNK_BYTES = 1_000_000;

export type LineLimits = { from: number; to: number; maxLines: number; maxChars: number; maxLine: number };

/**
 * `total` is set when the end was reached, and `more` when further lines follow. `cut` counts the bytes of a line that are not in `text`.
 */
export type LinesInChunks = { lines: { text: string; cut: number }[]; more: boolean; total?: number };

/** Returns undefined for a binary file. `read` returns `length` bytes from `from` on, or fewer at the end of the file. */
export async function readLinesInChunks(
  read: (from: number, length: number) => Promise<Uint8Array>,
  { from, to, maxLines, maxChars, maxLine }: LineLimits,
  signal: AbortSignal,
): Promise<LinesInChunks | undefined> {
  const lines: LinesInChunks['lines'] = [];
  const decoder = new TextDecoder();
  let heldChunks: Uint8Array[] = [];
  let [heldBytes, cut, chars, line] = [0, 0, 0, 1];

  const hold = (bytes: Uint8Array) => {
    // A UTF-8 character has at most four bytes.
    const room = Math.max(0, 4 * maxLine - heldBytes);
    heldChunks.push(bytes.slice(0, room));
    heldBytes += Math.min(room, bytes.length);
    cut += Math.max(0, bytes.length - room);
  };
  const finish = () => {
    const whole = decoder.decode(joinedBytes(heldChunks)).replace(/\r$/, '');
    const text = whole.slice(0, maxLine);
    lines.push({ text, cut: cut + new TextEncoder().encode(whole.slice(maxLine)).length });
    chars += text.length;
    [heldChunks, heldBytes, cut] = [[], 0, 0];
  };
  const full = () => lines.length >= maxLines || chars >= maxChars || line >= to;

  for (let offset = 0; ; offset += CHUNK_BYTES) {
    signal.throwIfAborted();
    const piece = await read(offset, CHUNK_BYTES);
    if (piece.includes(0)) return undefined;
    for (let start = 0; start < piece.length; line++) {
      const newline = piece.indexOf(10, start);
      if (line >= from) hold(piece.subarray(start, newline < 0 ? piece.length : newline));
      if (newline < 0) break;
      start = newline + 1;
      if (line < from) continue;
      finish();
      if (full()) {
        const more = start < piece.length || (piece.length === CHUNK_BYTES && (await read(offset + CHUNK_BYTES, 1)).length > 0);
        return more ? { lines, more } : { lines, more, total: line };
      }
    }
    if (piece.length === CHUNK_BYTES) continue;
    if (heldBytes > 0) finish();
    else if (piece.at(-1) === 10 || (piece.length === 0 && offset > 0)) line--;
    return { lines, more: false, total: line };
  }
}
