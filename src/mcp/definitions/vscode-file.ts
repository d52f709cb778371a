/** Reads the servers in a file of VS Code: `.vscode/mcp.json` in a workspace, or `mcp.json` of the user. */
import * as z from 'zod';
import { type ConfiguredServers, type McpServerConfig, type Origin, readServers, type ServerInput } from '../config.ts';
import { jsonWithComments } from './json-with-comments.ts';

/** Names appear in questions and in texts for the model, so they cannot contain sentences. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._/@-]{0,63}$/u;

/** The maximum length of the definition of a workspace. An approval shows all of it. */
const MAX_SHOWN = 10_000;

const Input = z.object({
  id: z.string().min(1),
  type: z.string(),
  description: z.string().optional(),
  password: z.boolean().optional(),
  default: z.string().optional(),
  options: z.array(z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)])).optional(),
});
const File = z.object({ servers: z.record(z.string(), z.unknown()).optional(), inputs: z.array(z.unknown()).optional() });

export type DefinitionFile = {
  path: string;
  text: string;
  /** The folder that `${workspaceFolder}` stands for. */
  folder?: string | undefined;
  /** Whether a workspace contains the file. Its servers then need an approval. `digest` returns the hash of a text. */
  workspace?: { digest(text: string): string };
};

/** The name of a workspace's server. It differs from the names in the user's settings, so rules about those never apply to it. */
export function workspaceServerName(name: string): string {
  return `${name}@workspace`;
}

export function readDefinitions({ path, text, folder, workspace }: DefinitionFile): Pick<ConfiguredServers, 'servers' | 'problems'> {
  const servers = new Map<string, McpServerConfig>();
  const file = File.safeParse(jsonWithComments(text));
  if (!file.success) return { servers, problems: [`The MCP servers in ${path} cannot be read. Correct the file.`] };
  const problems: string[] = [];
  const inputs = (file.data.inputs ?? []).flatMap((input) => inputOf(input) ?? []);
  for (const [written, definition] of Object.entries(file.data.servers ?? {})) {
    if (!NAME.test(written)) {
      problems.push(`An MCP server in ${path} has a name that cannot be used. Use letters, digits, dots and hyphens.`);
      continue;
    }
    const name = workspace ? workspaceServerName(written) : written;
    const read = readServers({ [name]: withoutDeclarations(definition) });
    problems.push(...read.problems);
    const config = read.servers.get(name);
    if (!config) continue;
    if (workspace && JSON.stringify(definition).length > MAX_SHOWN) {
      problems.push(`The MCP server ${name} in ${path} is not used: its definition is too long to be read before an approval. Shorten it.`);
      continue;
    }
    const digest = workspace?.digest(JSON.stringify([path, name, definition, inputs]));
    const origin: Origin = { file: path, inputs, ...(folder !== undefined && { folder }), ...(digest !== undefined && { digest }) };
    servers.set(name, { ...config, origin });
  }
  return { servers, problems };
}

/** Only the user's own settings can declare that a tool needs no approval. */
function withoutDeclarations(definition: unknown): unknown {
  if (definition === null || typeof definition !== 'object') return definition;
  const { readOnlyTools: _, disabledTools: __, tools: ___, ...rest } = definition as Record<string, unknown>;
  return rest;
}

function inputOf(value: unknown): ServerInput | undefined {
  const { data } = Input.safeParse(value);
  if (!data) return undefined;
  const { id, description = id, password = false, default: usual, options } = data;
  return {
    id,
    description,
    isSecret: password,
    ...(usual !== undefined && { default: usual }),
    ...(data.type === 'pickString' && options && { options }),
  };
}
