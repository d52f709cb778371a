/**
 * Narrows a run to what its agent leaves. Everything here only takes away: no function returns a tool, a mode or a limit that its arguments do not
 * contain. The policy judges each call of what is left as always.
 */
import type { Tool } from '../core/run/tool.ts';
import type { RunAgent } from '../core/session/shapes/run-agent.ts';
import { CATEGORY_OF } from './categories.ts';
import { isOfServer } from './servers.ts';

export { lowerMode, narrowLimits } from './lower.ts';

type Named = Pick<Tool, 'name' | 'source'>;
type Narrowing = Pick<RunAgent, 'tools' | 'without'>;

export function narrowTools<Given extends Named>(agent: Narrowing | undefined, tools: readonly Given[]): readonly Given[] {
  return agent?.tools || agent?.without ? tools.filter((tool) => allowsTool(agent, tool)) : tools;
}

/** Tools with which a run talks to the user or keeps its own records belong to every agent that does not exclude them by name. */
export function allowsTool({ tools, without }: Narrowing, tool: Named): boolean {
  if (without?.some((entry) => covers(entry, tool))) return false;
  return tools === undefined || CATEGORY_OF[tool.name] === 'conversation' || tools.some((entry) => covers(entry, tool));
}

/** Returns false for a server none of whose tools the agent may use, so that it is not started. */
export function allowsServer({ tools, without }: Narrowing, server: string, tool?: string): boolean {
  const isOf = (entry: string) => entry === 'mcp' || isOfServer(entry, server, tool);
  if (without?.some((entry) => entry === 'mcp' || entry === `mcp:${server}` || (tool !== undefined && isOfServer(entry, server, tool))))
    return false;
  return tools === undefined || tools.some(isOf);
}

/** An entry is a category, the name of a tool, or `mcp:SERVER` with or without `/TOOL`. */
function covers(entry: string, { name, source }: Named): boolean {
  if (source === 'builtin') return entry === name || entry === CATEGORY_OF[name];
  const server = source.startsWith('mcp:') ? source.slice('mcp:'.length) : undefined;
  if (server === undefined) return false;
  return entry === 'mcp' || entry === source || (entry.startsWith(`${source}/`) && isNamed(entry.slice(source.length + 1), name));
}

/** The name of a server's tool in a run consists of the names of the server and the tool, see `toolName` in src/mcp/tools.ts. */
function isNamed(tool: string, name: string): boolean {
  return name.endsWith(`__${tool.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/_{2,}/g, '_')}`);
}
