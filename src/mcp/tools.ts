/** Wraps a server's tool as a Kedge tool. */
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
  /** Returns the connection, reconnecting if it was closed. `fingerprint` identifies the current tool list. */
  open(signal: AbortSignal): Promise<{ connection: McpConnection; fingerprint: string }>;
};

/** Returns the fingerprint of a tool list. It does not depend on the order of the tools. */
export function fingerprintOf(tools: readonly McpTool[]): Promise<string> {
  const descriptions = tools.map(({ name, description, inputSchema }) => JSON.stringify([name, description, inputSchema])).sort();
  return hashOf(encodeText(JSON.stringify(descriptions)));
}

/** @param readOnly whether the user declared the tool as read-only; declarations by the server are ignored */
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
    async prepare(rawInput, signal) {
      const input = rawInput as Record<string, unknown>;
      const { connection } = await server.open(signal);
      const misfit = connection.misfit(tool, input);
      if (misfit !== undefined)
        throw new ToolError(`The arguments of ${name} do not fit: ${misfit}. Correct them and call the tool again.`);
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
              `The tools of the MCP server ${server.name} have changed during this run. Tell the user that the new tools are available after the next message.`,
            );
          return now.connection.call(tool.name, input, stopped, progress);
        },
      };
    },
  };
}

/** Returns the name of a server's tool. Names of built-in tools never contain two consecutive underscores, so the names cannot collide. */
export function toolName(server: string, tool: string): string {
  const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/_{2,}/g, '_');
  return `${clean(server).slice(0, 20)}__${clean(tool)}`.slice(0, MAX_NAME);
}

/**
 * Returns the schema that is sent to the model. Its texts come from the server and are part of every request, so they are sanitized and
 * shortened. Calls are validated against the original schema.
 */
function shownSchema(schema: JsonSchema): JsonSchema {
  const sanitized = visible(
    JSON.stringify(schema, (key, value: unknown) =>
      /^(?:description|title|\$comment)$/.test(key) && typeof value === 'string' ? visible(value).slice(0, MAX_DESCRIPTION) : value,
    ),
  );
  return sanitized.length > MAX_SCHEMA ? { type: 'object' } : (JSON.parse(sanitized) as JsonSchema);
}

/**
 * Removes invisible characters, which could show the model text that the user does not see, and text that imitates Kedge's own messages.
 */
function visible(text: string): string {
  return withoutFrames(text.replace(/[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu, ''));
}
