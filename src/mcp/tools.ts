/** A server's tool as a tool of Kedge. */
import type { JsonSchema } from '../core/model/model.ts';
import { withoutFrames } from '../core/model/notes.ts';
import type { Tool } from '../core/run/tool.ts';
import { ToolError } from '../core/run/tool.ts';
import { encodeText, hashOf } from '../workspace/content.ts';
import type { McpConnection, McpTool } from './types.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA = 20_000;

export type Server = {
  name: string;
  /** The connection, made anew where it has ended; `fingerprint` is of the tools that it has by now. */
  open(signal: AbortSignal): Promise<{ connection: McpConnection; fingerprint: string }>;
};

/** Two lists that say the same, in whichever order, have the same one. */
export function fingerprintOf(tools: readonly McpTool[]): Promise<string> {
  const said = tools.map(({ name, description, inputSchema }) => JSON.stringify([name, description, inputSchema])).sort();
  return hashOf(encodeText(JSON.stringify(said)));
}

/** `readOnly` is the user's word, never the server's. */
export function mcpTool(server: Server, tool: McpTool, fingerprint: string, readOnly: boolean): Tool {
  const name = toolName(server.name, tool.name);
  const description = visible(tool.description).slice(0, MAX_DESCRIPTION);
  return {
    name,
    description,
    inputSchema: shownSchema(tool.inputSchema),
    effect: readOnly ? 'readonly' : 'external',
    source: `mcp:${server.name}`,
    fingerprint,
    async prepare(given, signal) {
      const input = given as Record<string, unknown>;
      const { connection } = await server.open(signal);
      const misfit = connection.misfit(tool, input);
      if (misfit !== undefined) throw new ToolError(`The arguments of ${name} do not fit: ${misfit}`);
      const digest = await hashOf(encodeText(JSON.stringify([server.name, fingerprint, tool.name, input])));
      return {
        title: `${visible(tool.name)} of ${server.name}`,
        targets: [],
        mcp: { server: server.name, tool: tool.name, description },
        digest,
        async execute({ signal: stopped, progress }) {
          const now = await server.open(stopped);
          if (now.fingerprint !== fingerprint)
            throw new ToolError(
              `The tools of the MCP server ${server.name} have changed in mid-run. Tell the user; they count from the next message on.`,
            );
          return now.connection.call(tool.name, input, stopped, progress);
        },
      };
    },
  };
}

/** No built-in tool has two underscores in its name, so none can be taken for one. */
export function toolName(server: string, tool: string): string {
  const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/_{2,}/g, '_');
  return `${clean(server).slice(0, 20)}__${clean(tool)}`.slice(0, MAX_NAME);
}

/** Its words are a stranger's as well, and paid with every request; the server's own schema is what a call is checked against. */
function shownSchema(schema: JsonSchema): JsonSchema {
  const shown = visible(
    JSON.stringify(schema, (key, value: unknown) =>
      /^(?:description|title|\$comment)$/.test(key) && typeof value === 'string' ? visible(value).slice(0, MAX_DESCRIPTION) : value,
    ),
  );
  return shown.length > MAX_SCHEMA ? { type: 'object' } : (JSON.parse(shown) as JsonSchema);
}

/** A description could say more to a model than to the user by letters that nobody sees, or pretend to be words of Kedge. */
function visible(text: string): string {
  return withoutFrames(text.replace(/[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu, ''));
}
