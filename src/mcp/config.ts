/** Reads the user's MCP server configuration, in the `mcpServers` format that other programs use. */
import * as z from 'zod';

const common = {
  disabled: z.boolean().optional(),
  /**
   * Tools that the user declares as read-only. They are available in Ask and Plan mode and need no approval. Declarations by the server are
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
  url: z.string().refine((url) => /^https?:/i.test(url) && URL.canParse(url), 'its url is not an http or https address'),
  headers: z.record(z.string(), z.string()).optional(),
  ...common,
});
const McpServer = z.union([Program, Service], { error: 'it needs a command or a url' });

export type McpServerConfig = z.infer<typeof McpServer>;

/** Returns the usable servers by name, and a message for each unusable entry. */
export function readServers(value: unknown): { servers: Map<string, McpServerConfig>; problems: string[] } {
  const servers = new Map<string, McpServerConfig>();
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(z.record(z.string(), z.unknown()).safeParse(value ?? {}).data ?? {})) {
    const parsed = McpServer.safeParse(entry);
    if (!parsed.success) problems.push(`The MCP server ${name} cannot be used: ${parsed.error.issues[0]?.message}. Correct its settings.`);
    else if (!parsed.data.disabled) servers.set(name, parsed.data);
  }
  return { servers, problems };
}
