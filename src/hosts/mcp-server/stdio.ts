/** Serves one client over standard input and output. */

import { Transform } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type ServerPorts, serveClient } from './server.ts';

/** The maximum length of a message in bytes. The transport of the SDK closes after a longer one, so it must not receive it. */
const MAX_MESSAGE = 4_000_000;

/** Resolves when the client has closed the input, or when `signal` is aborted. The runs of the client have then been told to stop. */
export async function serveStdio(ports: ServerPorts, signal: AbortSignal): Promise<void> {
  const input = process.stdin.pipe(withoutLongLines(MAX_MESSAGE));
  const server = await serveClient(new StdioServerTransport(input), ports);
  await new Promise<void>((resolve) => {
    input.once('end', resolve);
    process.stdin.once('error', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await server.close();
}

/** Removes lines that are longer than `most` bytes. Each line is passed on when it is complete. */
export function withoutLongLines(most: number): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= most) pieces.push(piece);
    else pieces = [];
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, end + 1));
        if (length <= most) this.push(Buffer.concat(pieces));
        [pieces, length, from] = [[], 0, end + 1];
      }
      add(chunk.subarray(from));
      done();
    },
  });
}
