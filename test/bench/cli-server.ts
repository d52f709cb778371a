/**
 * Serves a model that answers immediately, in the format of the Responses API. It is a separate process, so that its time is not measured
 * as time of the client.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `received[i]` is the time at which request i was complete, and `answered[i]` the time at which its answer was passed to the system. Both
 * are milliseconds since 1970.
 */
export type Exchanges = { received: number[]; answered: number[]; bodies: string[] };

const now = () => performance.timeOrigin + performance.now();

function serve(files: readonly string[]): void {
  let seen: Exchanges = { received: [], answered: [], bodies: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const turn = seen.received.push(now()) - 1;
      seen.bodies.push(Buffer.concat(chunks).toString());
      const file = files[turn];
      stream(response, turn, file === undefined ? { text: 'I have read them all.' } : { path: file });
      seen.answered.push(now());
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`));
  process.on('message', () => {
    process.send?.(seen);
    seen = { received: [], answered: [], bodies: [] };
  });
  process.on('disconnect', () => process.exit());
}

function stream(response: ServerResponse, turn: number, { text, path }: { text?: string; path?: string }): void {
  let sequence = 0;
  let written = '';
  const send = (type: string, fields: object) => {
    written += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  };
  const state = (status: string, output: object[]) => ({
    response: {
      id: `resp_${turn}`,
      object: 'response',
      created_at: 0,
      status,
      model: 'bench',
      output,
      error: null,
      ...(status === 'completed' && { usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } }),
    },
  });
  send('response.created', state('in_progress', []));
  let item: object;
  if (path !== undefined) {
    const input = JSON.stringify({ path });
    const call = { id: `fc_${turn}`, type: 'function_call', call_id: `call_${turn}`, name: 'read_file' };
    item = { ...call, status: 'completed', arguments: input };
    send('response.output_item.added', { output_index: 0, item: { ...call, status: 'in_progress', arguments: '' } });
    send('response.function_call_arguments.delta', { item_id: call.id, output_index: 0, delta: input });
    send('response.function_call_arguments.done', { item_id: call.id, output_index: 0, name: call.name, arguments: input });
  } else {
    const message = { id: `msg_${turn}`, type: 'message', role: 'assistant' };
    const part = { type: 'output_text', annotations: [], logprobs: [], text };
    item = { ...message, status: 'completed', content: [part] };
    send('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } });
    send('response.content_part.added', { item_id: message.id, output_index: 0, content_index: 0, part: { ...part, text: '' } });
    send('response.output_text.delta', { item_id: message.id, output_index: 0, content_index: 0, delta: text, logprobs: [] });
    send('response.output_text.done', { item_id: message.id, output_index: 0, content_index: 0, text, logprobs: [] });
    send('response.content_part.done', { item_id: message.id, output_index: 0, content_index: 0, part });
  }
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', state('completed', [item]));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.end(written);
}

if (process.send) serve(process.argv.slice(2));
