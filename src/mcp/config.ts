/** Reads the user's MCP server configuration, in the `mcpServers` format that other programs use. */
import * as z from 'zod';

const common = {
  disabled: z.boolean().optional(),
  /**
   * Tools the user declares as read-only: they are available in Ask and Plan mode and need no approval. What the server itself declares is
   * ignored.
   */
  readOnlyTools: z.array(z.string()).optional(),
};
const Program = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  ...common,
});
const Service = z.object({
  url: z.string().refine((url) => /^https?:/i.test(url) && URL.canParse(url), 'is no http address'),
  headers: z.record(z.string(), z.string()).optional(),
  ...common,
});
const McpServer = z.union([Program, Service], { error: 'needs a command to start it, or a url' });

export type McpServerConfig = z.infer<typeof McpServer>;

/** Returns the usable servers by name, and a message for each unusable entry. */
export function readServers(value: unknown): { servers: Map<string, McpServerConfig>; problems: string[] } {
  const servers = new Map<string, McpServerConfig>();
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(z.record(z.string(), z.unknown()).safeParse(value ?? {}).data ?? {})) {
    const parsed = McpServer.safeParse(entry);
    if (!parsed.success) problems.push(`The MCP server ${name} cannot be used: ${parsed.error.issues[0]?.message}.`);
    else if (!parsed.data.disabled) servers.set(name, parsed.data);
  }
  return { servers, problems };
}
