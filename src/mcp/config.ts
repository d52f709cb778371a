/** Reads the user's MCP server configuration, in the `mcpServers` format that other programs use. */
import * as z from 'zod';
import type { JsonSchema } from '../core/model/model.ts';
import type { ToolUse } from '../core/view/mcp-servers.ts';

const common = {
  disabled: z.boolean().optional(),
  /**
   * Tools that the user declares as read-only. They are available in Ask and Plan mode and need no approval. Declarations by the server are
   * ignored.
   */
  readOnlyTools: z.array(z.string()).optional(),
  /** Tools that are not available in any run. */
  disabledTools: z.array(z.string()).optional(),
  /** Descriptions and schemas that replace those of the server, by tool. */
  tools: z
    .record(z.string(), z.object({ description: z.string().optional(), inputSchema: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
};
const Program = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  ...common,
});
/**
 * How Kedge identifies itself to the authorization server: as a client that the user has registered (`clientId`), or with the address of a
 * document that describes the client (`clientMetadataUrl`). Without them, Kedge registers itself if the server allows that.
 */
const Client = z
  .object({
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().optional(),
    /** The PEM text of the key that signs an assertion, for clients without a secret. */
    privateKey: z.string().optional(),
    signingAlgorithm: z.enum(['ES256', 'ES384', 'RS256', 'RS384', 'PS256']).optional(),
    /** With client credentials, Kedge gets tokens for itself, and no user signs in. */
    grant: z.enum(['authorization_code', 'client_credentials']).optional(),
    scope: z.string().optional(),
    /** The only authorization server that may get the secret. Without it, this is the first one that accepts it. */
    issuer: z.string().optional(),
    clientMetadataUrl: z
      .string()
      .refine(
        (url) => /^https:/i.test(url) && URL.canParse(url) && new URL(url).pathname !== '/',
        'its clientMetadataUrl is not the https address of a document',
      )
      .optional(),
  })
  .refine(
    ({ grant, clientId, clientSecret, privateKey }) =>
      grant !== 'client_credentials' || (clientId !== undefined && (clientSecret ?? privateKey) !== undefined),
    'client credentials need a clientId with a clientSecret or a privateKey',
  );
const Service = z.object({
  /** `sse` is the transport of older servers. Without it, Kedge tries both. */
  type: z.string().optional(),
  url: z.string().refine((url) => /^https?:/i.test(url) && URL.canParse(url), 'its url is not an http or https address'),
  headers: z.record(z.string(), z.string()).optional(),
  oauth: Client.optional(),
  ...common,
});
/** The user's declarations about a server that another file defines. */
const Declarations = z.object({ command: z.undefined().optional(), url: z.undefined().optional() });
const Declared = z.object(common);
const McpServer = z.union([Program, Service], { error: 'it needs a command or a url' });

/** A value that the user enters once. It is stored with the secrets. */
export type ServerInput = { id: string; description: string; isSecret: boolean; default?: string; options?: string[] };
/**
 * The file that defines a server, if that is not the user's settings. A server with a `digest` is defined by a workspace, so it is started only
 * after the user has approved exactly this definition.
 */
export type Origin = { file: string; inputs: readonly ServerInput[]; folder?: string; digest?: string };
export type McpServerConfig = z.infer<typeof McpServer> & { origin?: Origin };
export type OAuthClient = z.infer<typeof Client>;

/**
 * The servers in the user's settings. `problems` contains a message for each unusable entry, and `unused` lists the entries that are turned
 * off (`off`) or unusable (`invalid`, with the reason).
 */
export type ConfiguredServers = {
  servers: Map<string, McpServerConfig>;
  problems: string[];
  unused: { name: string; state: 'off' | 'invalid'; error?: string }[];
};

/**
 * Reads the user's settings. `others` are the servers that other files define. An entry in the settings without a command and an address
 * changes what the user declares about one of them.
 */
export function readServers(value: unknown, others: ReadonlyMap<string, McpServerConfig> = new Map()): ConfiguredServers {
  const servers = new Map<string, McpServerConfig>(others);
  const problems: string[] = [];
  const unused: ConfiguredServers['unused'] = [];
  for (const [name, entry] of Object.entries(z.record(z.string(), z.unknown()).safeParse(value ?? {}).data ?? {})) {
    const other = others.get(name);
    const isDeclared = other !== undefined && Declarations.safeParse(entry).success;
    const parsed = (isDeclared ? Declared : McpServer).safeParse(entry);
    servers.delete(name);
    if (!parsed.success) {
      const error = `The MCP server ${name} cannot be used: ${parsed.error.issues[0]?.message}. Correct its settings.`;
      problems.push(error);
      unused.push({ name, state: 'invalid', error });
    } else if (parsed.data.disabled) unused.push({ name, state: 'off' });
    else servers.set(name, { ...(isDeclared && other), ...parsed.data } as McpServerConfig);
  }
  return { servers, problems, unused };
}

/** Returns what the user declares about a tool. A disabled tool is off, even if it is also declared as read-only. */
export function useOf(config: McpServerConfig | undefined, tool: string): ToolUse {
  // A run does not start a server again that the user has removed or turned off since then.
  if (!config) return 'off';
  const { disabledTools = [], readOnlyTools = [] } = config;
  return disabledTools.includes(tool) ? 'off' : readOnlyTools.includes(tool) ? 'reads' : 'asks';
}

/** Returns a tool with the description and schema that the user has set for it. */
export function overridden<Tool extends { name: string; description: string; inputSchema: JsonSchema }>(
  tool: Tool,
  { tools = {} }: McpServerConfig,
): Tool {
  const { description = tool.description, inputSchema = tool.inputSchema } = Object.hasOwn(tools, tool.name)
    ? (tools[tool.name] ?? {})
    : {};
  return { ...tool, description, inputSchema };
}

/** Returns true if two configurations start the same server. The user's declarations about its tools are ignored. */
export function isSameServer(a: McpServerConfig | undefined, b: McpServerConfig): boolean {
  const connection = ({ readOnlyTools: _, disabledTools: __, ...rest }: McpServerConfig) => JSON.stringify(rest);
  return a !== undefined && connection(a) === connection(b);
}

/** The servers that other files define. The settings can declare how they are used. */
type Others = ReadonlyMap<string, unknown>;
type Settings = Record<string, Record<string, unknown>>;

/** Returns the setting `kedge.mcpServers` with a changed declaration about one tool. @throws Error if there is no such server */
export function withToolUse(value: unknown, server: string, tool: string, use: ToolUse, others: Others = new Map()): Settings {
  return withServer(value, server, others, ({ readOnlyTools, disabledTools, ...rest }) => {
    const others = (list: unknown) => (Array.isArray(list) ? list.filter((each) => each !== tool) : []);
    const reads = [...others(readOnlyTools), ...(use === 'reads' ? [tool] : [])];
    const off = [...others(disabledTools), ...(use === 'off' ? [tool] : [])];
    return { ...rest, ...(reads.length > 0 && { readOnlyTools: reads }), ...(off.length > 0 && { disabledTools: off }) };
  });
}

/** Returns the setting `kedge.mcpServers` with one server turned on or off. @throws Error if there is no such server */
export function withServerOn(value: unknown, server: string, isOn: boolean, others: Others = new Map()): Settings {
  return withServer(value, server, others, ({ disabled: _, ...rest }) => (isOn ? rest : { ...rest, disabled: true }));
}

function withServer(
  value: unknown,
  name: string,
  others: Others,
  change: (entry: Record<string, unknown>) => Record<string, unknown>,
): Settings {
  const servers = (value ?? {}) as Settings;
  const entry = Object.hasOwn(servers, name) ? servers[name] : others.has(name) ? {} : undefined;
  if (entry === null || typeof entry !== 'object') throw new Error(`There is no MCP server ${name} in your settings.`);
  return { ...servers, [name]: change(entry) };
}
