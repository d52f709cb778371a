/** The MCP servers as hosts show them. */

/** Whether a tool of a server is turned off, needs approval, or only reads, so that Ask and Plan mode have it, too. */
export const TOOL_USES = ['off', 'asks', 'reads'] as const;
export type ToolUse = (typeof TOOL_USES)[number];

export type ServerTools = { name: string; description: string; use: ToolUse };

/** `off` is turned off in the settings. A `stopped` server is started when a run needs it. `invalid` is a server whose settings cannot be used. */
export type ServerState = 'off' | 'stopped' | 'starting' | 'running' | 'failed' | 'invalid';

export type ServerStatus = {
  name: string;
  state: ServerState;
  /** Why the server failed or is invalid, as a sentence. */
  error?: string;
  /** The last part of the server's error output. */
  log?: string;
  /** The latest list of its tools. The field is missing until the server has started once. */
  tools?: readonly ServerTools[];
};
