/** Wraps a server's tool as a Kedge tool. */
import type { JsonSchema } from '../core/model/model.ts';
import { withoutFrames } from '../core/model/notes.ts';
import { type Tool, ToolError } from '../core/run/tool.ts';
import type { ToolUse } from '../core/view/mcp-servers.ts';
import { encodeText, hashOf } from '../workspace/content.ts';
import type { McpConnection, McpResource, McpTool } from './types.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA = 20_000;

export type Server = {
  name: string;
  /** Returns the connection, reconnecting if it was closed. `fingerprint` identifies the current tool list. */
  open(signal: AbortSignal): Promise<{ connection: McpConnection; fingerprint: string }>;
  /** Gives the run the current tools of the server. */
  renew?(): Promise<void>;
};

/** Returns the fingerprint of a tool list. It does not depend on the order of the tools. */
export function fingerprintOf(tools: readonly McpTool[]): Promise<string> {
  const descriptions = tools
    .map(({ name, description, inputSchema, isDestructive }) =>
      JSON.stringify([name, description, inputSchema, ...(isDestructive ? ['destructive'] : [])]),
    )
    .sort();
  return hashOf(encodeText(JSON.stringify(descriptions)));
}

/** @param use returns what the user declares about the tool at this moment; declarations by the server are ignored */
export function mcpTool(server: Server, tool: McpTool, fingerprint: string, use: () => ToolUse): Tool {
  const name = toolName(server.name, tool.name);
  const description = visible(tool.description).slice(0, MAX_DESCRIPTION);
  return {
    name,
    description,
    inputSchema: shownSchema(tool.inputSchema),
    // The user can change the declaration during a run, and the policy reads it for each call.
    get effect() {
      return use() === 'reads' ? 'readonly' : 'external';
    },
    source: `mcp:${server.name}`,
    fingerprint,
    ...(tool.isDestructive && {
      danger: { rule: 'deletes' as const, reason: `The server ${server.name} says that this tool can destroy data.` },
    }),
    async prepare(rawInput, signal) {
      const input = rawInput as Record<string, unknown>;
      if (use() === 'off') throw new ToolError(`The user has turned off ${name}. Continue without it.`);
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
        async execute({ signal: stopped, progress, ask, model }) {
          const now = await server.open(stopped);
          if (now.fingerprint !== fingerprint) {
            await server.renew?.();
            throw new ToolError(
              `The tools of the MCP server ${server.name} have changed during this run, so nothing was called. ${server.renew ? 'The new tools are available now.' : 'The new tools are available after the next message.'}`,
            );
          }
          return now.connection.call(tool.name, input, { signal: stopped, progress, ask, model });
        },
      };
    },
  };
}

const MAX_URI = 4_096;

/**
 * Returns the tool that reads the resources of a server. It is not offered to models: it reads resources that the user mentions, and the policy
 * judges it like the tools of the server.
 */
export function resourceTool(server: Pick<Server, 'name'> & { open(signal: AbortSignal): Promise<{ connection: McpConnection }> }): Tool {
  return {
    name: toolName(server.name, 'read_resource'),
    description: 'Read a resource.',
    inputSchema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
    effect: 'external',
    source: `mcp:${server.name}`,
    async prepare(input) {
      const { uri } = input as { uri: string };
      if (!URL.canParse(uri) || uri.length > MAX_URI)
        throw new ToolError(`${visible(uri).slice(0, MAX_URI)} is not the URI of a resource.`);
      return {
        title: `Read ${visible(uri)} of ${server.name}`,
        targets: [],
        mcp: { server: server.name, tool: 'resources/read', description: visible(uri) },
        async execute({ signal }) {
          const { connection } = await server.open(signal);
          return { content: await connection.read(uri, signal) };
        },
      };
    },
  };
}

/** Returns the texts of a resource in a form that can be displayed. */
export function shownResource({ uri, name, description }: McpResource): McpResource {
  const line = (text: string) => visible(text.replace(/\s+/g, ' ')).slice(0, MAX_NAME * 2);
  return { uri, name: line(name) || uri, description: line(description) };
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
export function visible(text: string): string {
  return withoutFrames(text.replace(/[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu, ''));
}
