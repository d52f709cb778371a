/** Every wire in a process of its own: `/<wire>/…` answers each request with a call of `read_file`, and after the last step with text. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { WIRES } from '../support/wires.ts';

/** Of each request, in milliseconds since 1970: when it began to come, was whole, and was answered; and its length in bytes. */
export type Steps = { begun: number; whole: number; answered: number; bytes: number }[];

const [count, files] = process.argv.slice(2).map(Number) as [number, number];
const now = () => performance.timeOrigin + performance.now();
let seen: Steps = [];

const server = createServer(async (request, response) => {
  const begun = now();
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  const name = request.url?.split('/')[1] ?? '';
  if (request.url?.endsWith('/api/show')) return response.writeHead(404).end('{"error":"not found"}');
  const whole = now();
  const index = seen.length;
  const call = { id: `call_${index}`, name: 'read_file', args: { path: `src/file${index % files}.ts` } };
  const body = index < count ? CALL_BODIES[name]?.([call]) : TEXT_BODIES[name]?.(['Done.']);
  response.writeHead(200, { 'content-type': WIRES[name]?.contentType ?? 'text/plain' });
  response.end(body);
  seen.push({ begun, whole, answered: now(), bytes });
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', () => {
  process.send?.(seen);
  seen = [];
});
process.on('disconnect', () => process.exit());
