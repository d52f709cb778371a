import { createServer } from 'node:http';
import { type Served, served } from './served.ts';

/** A message in the format of OpenAI's Chat Completions. */
export type WireMessage = {
  role: string;
  content?: string | { text?: string }[] | null;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
};
export type WindowRequest = { messages: WireMessage[]; text: string; tokens: number; refused: boolean };
export type Reply = string | { name: string; input: unknown }[];

export type WindowServer = Served & { requests: WindowRequest[] };

/** Real tokenizers use between 3 and 5 bytes per token. The server does not use Kedge's estimate. */
const BYTES_PER_TOKEN = 3.7;

/**
 * Starts a Chat Completions server with a context window. It refuses requests that are too long, and reports the size of the others.
 * `reply` plays the model. With `mute`, its errors do not name the window.
 */
export async function startWindowServer(
  { window, mute = false, reports = true }: { window: number; mute?: boolean; reports?: boolean },
  reply: (request: WindowRequest) => Reply,
): Promise<WindowServer> {
  const requests: WindowRequest[] = [];
  let calls = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const tokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    const { messages } = JSON.parse(text) as { messages: WireMessage[] };
    const request = { messages, text, tokens, refused: tokens > window };
    requests.push(request);
    if (request.refused) {
      const numbers = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
      const error = { message: mute ? 'The prompt is too long.' : numbers, type: 'invalid_request_error', code: 'context_length_exceeded' };
      return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    }
    const said = reply(request);
    const delta =
      typeof said === 'string'
        ? { content: said }
        : {
            tool_calls: said.map(({ name, input }, index) => ({
              index,
              id: `call_${++calls}`,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          };
    const usage = reports && { usage: { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 } };
    const events = [
      { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: typeof said === 'string' ? 'stop' : 'tool_calls' }] },
      { choices: [], ...usage },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
  });
  return { ...(await served(server)), requests };
}

export function textOfWire({ content }: WireMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
}
