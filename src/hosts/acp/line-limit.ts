/** Limits the length of the lines that are read. */

const NEWLINE = 0x0a;

/**
 * Passes lines through, and cuts off each line after `maxBytes`. A message that was cut off is not valid JSON, so it is answered with an
 * error, and the connection stays open. Each byte is looked at once, whatever the length of a line.
 */
export function withLineLimit(input: AsyncIterable<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  const chunks = limited(input, maxBytes);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

async function* limited(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, undefined> {
  /** The number of bytes of the current line that were passed on. */
  let length = 0;
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const end = newline < 0 ? chunk.length : newline;
      const kept = Math.min(end - from, maxBytes - length);
      if (kept > 0) yield chunk.subarray(from, from + kept);
      length += kept;
      from = end;
      if (newline < 0) continue;
      yield chunk.subarray(newline, newline + 1);
      length = 0;
      from = newline + 1;
    }
  }
}
