/** A real MCP server, on its official SDK, with manners that servers from npm do not have. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

let changes = 0;
const server = new Server({ name: 'fickle', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
const tool = (name: string, description = name) => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
  annotations: { readOnlyHint: true },
});

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [tool('change', `Changed ${changes} times.`), tool('end'), tool('hang'), tool('steady'), tool('read_file')],
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
    default:
      return text(params.name);
  }
});
await server.connect(new StdioServerTransport());
