/** Streams of bytes, line by line. */

const NEWLINE = 10;

/** Told of each line once, in order. */
export type LineRules = {
  /** Whether the line from `start` to before `end` can stay as it is; most should, for no more is done with them. */
  isUsual(bytes: Uint8Array, start: number, end: number): boolean;
  /** What stands in the place of any other line, which comes without its newline. An error that it throws ends the stream. */
  rewrite(line: string): string;
  /** What follows the last line. */
  end?(): string;
};

/** A body of whole lines, read only as far as somebody reads it: a pipe would cost several times as much for each chunk. */
export function throughLines(body: ReadableStream<Uint8Array>, { isUsual, rewrite, end }: LineRules): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = body.getReader();
  /** Of the line that is not whole yet. */
  const begun: Uint8Array[] = [];

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
    const { done, value } = await source.read();
    if (done) {
      passOn(joined(begun), pieces);
      pieces.push(encoder.encode(end?.()));
      return false;
    }
    const after = value.lastIndexOf(NEWLINE) + 1;
    if (after > 0) passOn(joined([...begun.splice(0), value.subarray(0, after)]), pieces);
    if (after < value.length) begun.push(value.subarray(after));
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
            void source.cancel(error).catch(() => undefined);
            throw error;
          } finally {
            // What came before a line that is an error was said; all at once, for a second piece would be lost with the error.
            const whole = joined(pieces);
            given = whole.length > 0;
            if (given) controller.enqueue(whole);
          }
          if (!goesOn) controller.close();
        }
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
