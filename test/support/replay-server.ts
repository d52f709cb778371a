import { createServer } from 'node:http';
import { type Served, served } from './served.ts';

/** How a body is split into chunks on the wire. */
export type Chunking = { name: string; cut(body: Buffer): Buffer[] };

export const CHUNKINGS: readonly Chunking[] = [
  { name: 'in one chunk', cut: (body) => [body] },
  { name: 'byte by byte', cut: (body) => Array.from(body, (_, index) => body.subarray(index, index + 1)) },
  { name: 'cut at 200 random places', cut: (body) => cutAt(body, randomPlaces(body.length, 200)) },
];

function cutAt(body: Buffer, places: readonly number[]): Buffer[] {
  return [...places, body.length].map((end, index) => body.subarray(places[index - 1] ?? 0, end)).filter((chunk) => chunk.length > 0);
}

/** Returns the same positions for the same length on every computer (mulberry32). */
function randomPlaces(length: number, count: number): number[] {
  let state = 0x9e3779b9 ^ length;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: count }, () => Math.floor(random() * length)).sort((a, b) => a - b);
}

/**
 * Responds to every request with one recorded body. Each chunk is written separately, and the event loop turns between two writes. The
 * client is in the same process, so it has read a chunk before the next chunk is sent.
 */
export async function startReplayServer(body: Buffer, contentType: string, { cut }: Chunking): Promise<Served> {
  const frames = cut(body).map((chunk) => Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]));
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;

  // The server writes directly to the socket, because `response.write` takes several times as long and there are hundreds of thousands of
  // writes.
  const server = createServer((request) => {
    const { socket } = request;
    const pieces = [Buffer.from(head), ...frames].values();
    const write = () => {
      const { value, done } = pieces.next();
      if (done || socket.destroyed) return void socket.end('0\r\n\r\n');
      socket.write(value);
      setImmediate(write);
    };
    socket.setNoDelay(true);
    request.resume().on('end', write);
  });
  return served(server);
}
