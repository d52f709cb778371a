/** Streams of bytes, line by line. */

import { joinedBytes } from '../core/bytes.ts';

const NEWLINE = 10;
/** Bytes of a line, which holds a whole answer at most; a longer one has no end. */
export const MAX_LINE = 8 * 2 ** 20;

/** Told of each line once, in order. */
export type LineRules = {
  /** Whether the line from `start` to before `end` can stay as it is; most should, for no more is done with them. */
  isUsual(bytes: Uint8Array, start: number, end: number): boolean;
  /** What stands in the place of any other line, which comes without its newline. An error that it throws ends the stream. */
  rewrite(line: string): string;
  /** What follows the last line. */
  end?(): string;
};

/** Told of what happens with the source. */
export type Listener = { wait(): void; heard(): void; end(): void; tooLong(bytes: number): Error };

/** A body of whole lines, read only as far as somebody reads it: a pipe would cost several times as much for each chunk. */
export function throughLines(body: ReadableStream<Uint8Array>, rules: LineRules, listener?: Listener): ReadableStream<Uint8Array> {
  const { isUsual, rewrite, end } = rules;
  const encoder = new TextEncoder();
  const source = body.getReader();
  const begun = new BegunLine();

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

  /** False at the end. */
  async function advance(pieces: Uint8Array[]): Promise<boolean> {
    listener?.wait();
    const { done, value } = await source.read();
    listener?.heard();
    if (done) {
      passOn(begun.take(), pieces);
      pieces.push(encoder.encode(end?.()));
      return false;
    }
    const after = value.lastIndexOf(NEWLINE) + 1;
    if (after > 0) passOn(begun.length > 0 ? joinedBytes([begun.take(), value.subarray(0, after)]) : value.subarray(0, after), pieces);
    if (after < value.length) begun.add(value.subarray(after));
    if (begun.length > MAX_LINE) throw listener?.tooLong(MAX_LINE) ?? new Error('A line has no end.');
    return true;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let goesOn = true, given = false; goesOn && !given; ) {
          const pieces: Uint8Array[] = [];
          try {
            goesOn = await advance(pieces);
          } catch (error) {
            listener?.end();
            void source.cancel(error).catch(() => undefined);
            throw error;
          } finally {
            // What came before a line that is an error was said; all at once, for a second piece would be lost with the error.
            const whole = joinedBytes(pieces);
            given = whole.length > 0;
            if (given) controller.enqueue(whole);
          }
          if (goesOn) continue;
          listener?.end();
          controller.close();
        }
      },
      cancel(reason) {
        listener?.end();
        return source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A line that is not whole yet, in memory that doubles: it may come byte by byte. */
class BegunLine {
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
