/**
 * A real MCP server on the official SDK that asks the user during its calls. `act` writes a line to the file of the arguments and asks then;
 * `leave` asks and ends without waiting for the answer; `sample` sends a request to the model. `hold` ends, `later` asks and `withdraw` withdraws its
 * question when the file with the name of the tool at its end exists. With a second argument, the server uses HTTP and prints its port. The names of
 * two more tools are the same for Kedge. `flood` reports changes and progress very often, and `lists` counts the requests for the list of tools.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ElicitResultSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [file = '', http] = process.argv.slice(2);
const server = new Server({ name: 'asking', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
const TOOLS = ['act', 'leave', 'sample', 'same_name', 'same name', 'flood', 'lists', 'hold', 'later', 'withdraw'];
const told = async (name: string) => {
  while (!existsSync(`${file}.${name}`)) await delay(5);
};

let lists = 0;

server.setRequestHandler(ListToolsRequestSchema, () => {
  lists++;
  return { tools: TOOLS.map((name) => ({ name, description: name, inputSchema: { type: 'object' as const } })) };
});
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, _meta } }, { sendNotification, sendRequest }) => {
  if (name === 'lists') return { content: [{ type: 'text', text: String(lists) }] };
  if (name === 'flood') {
    const progressToken = _meta?.progressToken as string;
    for (let progress = 1; progress <= 2_000; progress++) {
      await server.sendToolListChanged();
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message: 'x'.repeat(5_000) } });
    }
    return { content: [{ type: 'text', text: 'flooded' }] };
  }
  const form = { message: 'Go on?', requestedSchema: { type: 'object' as const, properties: {} } };
  const content = { type: 'text' as const, text: 'May I?' };
  const ask = () =>
    name === 'sample' ? server.createMessage({ messages: [{ role: 'user', content }], maxTokens: 10 }) : server.elicitInput(form);
  if (name === 'hold') {
    await told(name);
    return { content: [{ type: 'text', text: 'held' }] };
  }
  if (name === 'later') {
    await told(name);
    const params = { mode: 'form' as const, ...form };
    return {
      content: [{ type: 'text', text: JSON.stringify(await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema)) }],
    };
  }
  if (name === 'withdraw') {
    const controller = new AbortController();
    const asked = server.elicitInput(form, { signal: controller.signal }).catch(() => 'withdrawn');
    await told(name);
    controller.abort();
    await asked;
    await told('hold');
    return { content: [{ type: 'text', text: 'withdrawn' }] };
  }
  if (name === 'act') appendFileSync(file, 'acted\n');
  const asked = ask();
  if (name !== 'leave') return { content: [{ type: 'text', text: JSON.stringify(await asked) }] };
  asked.catch(() => undefined);
  // The request is written before the result.
  return { content: [{ type: 'text', text: 'left' }] };
});
if (http) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await server.connect(transport);
  const listener = createServer((request, response) => void transport.handleRequest(request, response));
  listener.listen(0, '127.0.0.1', () => console.log((listener.address() as AddressInfo).port));
} else await server.connect(new StdioServerTransport());
