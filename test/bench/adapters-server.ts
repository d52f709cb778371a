/**
 * Serves every wire in a separate process, so that the time of the server is not measured as time of the client. `/<wire>/…` answers with the number of
 * deltas that was passed at the start.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES } from '../support/wires.ts';

const pieces = Array.from({ length: Number(process.argv[2]) }, (_, index) => `word${index} `);
const bodies = new Map(Object.entries(TEXT_BODIES).map(([name, body]) => [name, Buffer.from(body(pieces))]));
/** The time of the first request since the last report, in milliseconds since 1970. */
let received: number | undefined;

const server = createServer(async (request, response) => {
  const now = performance.timeOrigin + performance.now();
  for await (const _ of request);
  const name = request.url?.split('/')[1] ?? '';
  if (request.url?.endsWith('/api/show')) return response.writeHead(404).end('{"error":"not found"}');
  if (request.url?.endsWith('/api/tags')) return response.end('{"models":[{"model":"bench","digest":"one"}]}');
  received ??= now;
  response.writeHead(200, { 'content-type': WIRES[name]?.contentType ?? 'text/plain' });
  response.end(bodies.get(name));
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', () => {
  process.send?.({ received });
  received = undefined;
});
process.on('disconnect', () => process.exit());
