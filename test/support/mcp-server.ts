/**
 * A real MCP server on the official SDK that misbehaves in ways that published servers do not. With `deaf FILE`, the server and a program
 * that it starts ignore the end of their input and SIGTERM; the process ids of both are written to the file. With `mute` as well, it never
 * responds. With `late FILE`, it responds when the file exists. A tool named `destroy` is marked as destructive.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema, RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [how, file, mute] = process.argv.slice(2);
if (how === 'deaf' && file) {
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
  await once(child.stdout, 'data');
  writeFileSync(file, `${process.pid} ${child.pid}`);
}

let changes = 0;
let rootChanges = 0;
const server = new Server({ name: 'fickle', version: '1.0.0' }, { capabilities: { logging: {}, tools: { listChanged: true } } });
const tool = (name: string, description = name) => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
  annotations: name === 'destroy' ? { destructiveHint: true } : { readOnlyHint: true },
});

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    tool('change', `Changed ${changes} times.`),
    tool('destroy'),
    tool('end'),
    tool('hang'),
    tool('log'),
    tool('roots'),
    tool('steady'),
    tool('read_file'),
  ],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
  const text = (content: string) => ({ content: [{ type: 'text', text: content }] });
  switch (params.name) {
    case 'change':
      changes++;
      await server.sendToolListChanged();
      return text('changed');
    case 'end':
      process.exit(1);
      break;
    case 'hang': {
      const progressToken = params._meta?.progressToken as string;
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return new Promise(() => setInterval(() => undefined, 1_000));
    }
    case 'roots': {
      const { roots } = await server.listRoots();
      return text(`changed ${rootChanges} times: ${roots.map(({ name, uri }) => `${name} at ${uri}`).join()}`);
    }
    case 'log':
      await server.sendLoggingMessage({ level: 'warning', logger: 'disk', data: { free: 0 } });
      return text('logged');
    default:
      return text(params.name);
  }
});
if (how === 'late' && file) {
  const watcher = watch(dirname(file));
  while (!existsSync(file)) await once(watcher, 'change');
  watcher.close();
}
server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
  rootChanges++;
});
if (!mute) await server.connect(new StdioServerTransport());
