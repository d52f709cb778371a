/** Describes the configured MCP servers, so that a model can answer questions about them. */
import type { ServerStatus, ToolUse } from '../core/view/mcp-servers.ts';
import { toolName } from './tools.ts';
import type { IsDenied } from './types.ts';

const MAX_TOOLS = 100;
const STATES: Record<ServerStatus['state'], string> = {
  off: 'turned off in the settings',
  stopped: 'not started, a run in Agent mode starts it',
  starting: 'starting',
  running: 'running',
  failed: 'failed to start',
  invalid: 'its settings cannot be used',
};
const USES: Record<ToolUse, string> = { off: 'turned off', asks: 'needs approval, Agent mode only', reads: 'only reads, in all modes' };

const DENIED = "denied by one of the user's rules";

/** Lists the servers for a model. The list contains only names and states. Names are reduced to letters, digits and a few other characters. */
export function overviewText(servers: readonly ServerStatus[], isDenied: IsDenied): string {
  if (servers.length === 0) return 'No MCP servers are configured. They are added in the setting kedge.mcpServers.';
  const lines = servers.flatMap(({ name, state, tools: listed }) => {
    const tools = isDenied(name) ? undefined : listed;
    const stateText = isDenied(name) ? DENIED : STATES[state];
    return [
      `- ${plain(name)}: ${stateText}${tools ? `, ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}` : ''}`,
      ...(tools ?? [])
        .slice(0, MAX_TOOLS)
        .map((tool) => `  - ${plain(tool.name)}: ${isDenied(name, toolName(name, tool.name)) ? DENIED : USES[tool.use]}`),
      ...((tools?.length ?? 0) > MAX_TOOLS ? ['  - …'] : []),
    ];
  });
  return [`The configured MCP servers and their tools. The command "Kedge: MCP Servers" shows and changes them.`, ...lines].join('\n');
}

/** Names have no spaces, so that a server cannot put sentences into a note from Kedge. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}_./:@-]+/gu, '_').slice(0, 64);
}
