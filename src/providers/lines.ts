/** Processes byte streams line by line. */

import { joinedBytes } from '../core/bytes.ts';
import type { Bytes } from './answer.ts';

const NEWLINE = 10;
/** The maximum line length in bytes. One line contains at most a complete answer; a longer line is treated as endless. */
export const MAX_LINE = 8 * 2 ** 20;

/** The functions that process a stream. They are called for its lines in order. */
export type LineRules = {
  /**
   * Returns true if the line from `start` to `end` (exclusive) can be passed on unchanged. It must be fast, because it is called for every
   * line.
   */
  isUsual(bytes: Uint8Array, start: number, end: number): boolean;
  /** Returns the replacement for a line for which `isUsual` returns false. `line` has no newline. An error thrown by `rewrite` ends the stream. */
  rewrite(line: string): string;
  /** Returns text to add after the last line. */
  end?(): string;
};

/** Is called before and after each read of the source, and at its end. */
export type Listener = { wait(): void; received(): void; end(): void; tooLong(bytes: number): Error };

/** Passes on a body in complete lines and reads only on demand. */
export function throughLines(body: Bytes, rules: LineRules, listener?: Listener): Bytes {
  const { isUsual, rewrite, end } = rules;
  const encoder = new TextEncoder();
  const partialLine = new PartialLine();

  function passOn(bytes: Uint8Array, pieces: Uint8Array[]): void {
    let good = 0;
    for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
      end = bytes[start] === NEWLINE ? start : bytes.indexOf(NEWLINE, start);
      if (end < 0) end = bytes.length;
      if (isUsual(bytes, start, end)) continue;
      pieces.push(bytes.subarray(good, start));
      good = Math.min(end + 1, bytes.length);
      pieces.push(encoder.encode(rewrite(new TextDecoder().decode(bytes.subarray(start, end)))));
    }
    pieces.push(bytes.subarray(good));
  }

  /** Reads one chunk. Resolves to false at the end of the source. */
  async function advance(pieces: Uint8Array[]): Promise<boolean> {
    listener?.wait();
    const value = await body.read();
    listener?.received();
    if (!value) {
      passOn(partialLine.take(), pieces);
      pieces.push(encoder.encode(end?.()));
      return false;
    }
    const after = value.lastIndexOf(NEWLINE) + 1;
    if (after > 0)
      passOn(partialLine.length > 0 ? joinedBytes([partialLine.take(), value.subarray(0, after)]) : value.subarray(0, after), pieces);
    if (after < value.length) partialLine.add(value.subarray(after));
    if (partialLine.length > MAX_LINE) throw listener?.tooLong(MAX_LINE) ?? new Error(`A line is longer than ${MAX_LINE} bytes.`);
    return true;
  }

  let isOver = false;
  let failed: { error: unknown } | undefined;
  return {
    async read() {
      while (!isOver) {
        const pieces: Uint8Array[] = [];
        try {
          isOver = !(await advance(pieces));
        } catch (error) {
          isOver = true;
          failed = { error };
          body.cancel(error);
        }
        if (isOver) listener?.end();
        // Text before a line whose rewriting throws is delivered before the error.
        const whole = joinedBytes(pieces);
        if (whole.length > 0) return whole;
      }
      if (failed) throw failed.error;
      return undefined;
    },
    cancel(reason) {
      isOver = true;
      listener?.end();
      body.cancel(reason);
    },
  };
}

/** The beginning of a line, in a buffer that doubles in size because a line may arrive byte by byte. */
class PartialLine {
  #bytes = new Uint8Array(0);
  length = 0;

  add(more: Uint8Array): void {
    const length = this.length + more.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(more, this.length);
    this.length = length;
  }

  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = new Uint8Array(0);
    this.length = 0;
    return taken;
  }
}
