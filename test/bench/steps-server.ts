/**
 * Serves every wire in a separate process. `/<wire>/…` answers each request with a call of `read_file`, and after the last step with text. All other requests get an
 * empty response.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES } from '../support/wires.ts';

const [count, files] = process.argv.slice(2).map(Number) as [number, number];
/** The length of each request since the last report, in bytes. */
let lengths: number[] = [];

const server = createServer(async (request, response) => {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  const name = request.url?.split('/')[1] ?? '';
  if (request.url?.endsWith('/api/show')) return response.writeHead(404).end('{"error":"not found"}');
  if (!WIRES[name]) return response.end();
  const index = lengths.push(length) - 1;
  const call = { id: `call_${index}`, name: 'read_file', args: { path: `src/file${index % files}.ts` } };
  response.writeHead(200, { 'content-type': WIRES[name]?.contentType ?? 'text/plain' });
  response.end(index < count ? CALL_BODIES[name]?.([call]) : TEXT_BODIES[name]?.(['Done.']));
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', () => {
  process.send?.(lengths);
  lengths = [];
});
process.on('disconnect', () => process.exit());
