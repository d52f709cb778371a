/** The tool that starts a server which the workspace defines. Its approval shows the whole definition. */
import type { Tool } from '../core/run/tool.ts';
import type { Detail } from '../core/session/effects.ts';
import type { McpServerConfig } from './config.ts';
import { SECRET, variablesIn } from './definitions/variables.ts';
import { toolName, visible } from './tools.ts';

/** @param start starts the server, and returns the names of its tools. From then on, the definition is approved. */
export function startTool(name: string, config: McpServerConfig, digest: string, start: (signal: AbortSignal) => Promise<string[]>): Tool {
  const { file = '' } = config.origin ?? {};
  const runs = 'url' in config ? 'Kedge then connects to its address' : 'Its program then runs on this computer, outside of Kedge';
  return {
    name: toolName(name, 'start_server'),
    description: `Start the MCP server ${name}, which this workspace defines, so that its tools can be used. The user is asked first.`,
    inputSchema: { type: 'object', properties: {} },
    effect: 'external',
    source: `mcp:${name}`,
    fingerprint: digest,
    danger: {
      rule: 'external',
      reason: `The workspace defines this MCP server. ${runs}. You are asked once, and again if the definition changes.`,
    },
    async prepare() {
      return {
        title: `Start the MCP server ${name}`,
        targets: [],
        mcp: { server: name, tool: 'start', description: '', details: detailsOf(config, file) },
        digest,
        async execute({ signal }) {
          const tools = await start(signal);
          return { content: visible(`The MCP server ${name} is running. Its tools are available from now on: ${tools.join(', ')}.`) };
        },
      };
    },
  };
}

type Values = Record<string, string>;
type Definition = Partial<{ url: string; command: string; cwd: string; args: string[]; env: Values; headers: Values; oauth: Values }>;

/** Describes everything in a definition that has an effect. */
function detailsOf(config: McpServerConfig, file: string): Detail[] {
  const { url, headers, command, args = [], cwd, env, oauth } = config as Definition;
  const details: Detail[] = [
    { label: 'Defined in', text: file },
    { label: 'Command', text: command === undefined ? '' : [command, ...args].map(quoted).join(' '), isCode: true },
    { label: 'In the folder', text: cwd ?? '' },
    { label: 'Environment', text: named(env), isCode: true },
    { label: 'Address', text: url ?? '', isCode: true },
    { label: 'Headers', text: named(headers), isCode: true },
    { label: 'Sign-in', text: named(oauth), isCode: true },
  ];
  return details.filter(({ text }) => text !== '');
}

/** Values can determine what a known program does. Of those that may be secret, only the variables are shown. */
function named(values: Values = {}): string {
  const shown = (name: string, value: string) => (SECRET.test(name) ? ['(hidden)', ...variablesIn(value)].join(' ') : quoted(value));
  return Object.entries(values)
    .map(([name, value]) => `${quoted(name)}=${shown(name, value)}`)
    .join('\n');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}
