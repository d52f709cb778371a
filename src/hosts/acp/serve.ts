/** Serves the Agent Client Protocol on two streams until the client closes them. */
import { type Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { KedgeAgent } from './agent.ts';
import { withLineLimit } from './line-limit.ts';
import type { AcpHost } from './ports.ts';

/** The maximum size of a message. A prompt can contain several images. */
const MAX_LINE_BYTES = 64_000_000;

/** `output` receives nothing but the messages of the protocol. Resolves when the sessions have ended, after the input or with `signal`. */
export async function serveAcp(
  host: AcpHost,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const kedge = new KedgeAgent(host);
  const readable = withLineLimit(input, MAX_LINE_BYTES);
  const stream = ndJsonStream(Writable.toWeb(output), readable, { maxMessageBytes: MAX_LINE_BYTES + 1 });
  const connection = kedge.app.connect(stream);
  signal.addEventListener('abort', () => connection.close(), { once: true });
  if (signal.aborted) connection.close();
  await connection.closed;
  await kedge.shutDown();
}
