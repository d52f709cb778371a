/** Builds the ports with which a run works in a worktree. */

import type { AssistantPorts } from '../ports.ts';
import { SessionError } from '../session/session-error.ts';

/**
 * The user's folders cannot be reached through these ports: MCP servers and language services work there, so only the reading tools of servers
 * are left. Edits need no approval, because the user reviews them before they are applied.
 * @throws SessionError if the worktree does not exist
 */
export async function portsIn(ports: AssistantPorts, worktree: string): Promise<AssistantPorts> {
  if (!ports.worktrees) throw new SessionError('The folders of this window have no worktrees, so this session cannot be continued here.');
  const { languages: _, format: __, terminalOutput: ___, mcp, grants, ...others } = ports;
  return {
    ...others,
    ...(await (await ports.worktrees()).open(worktree)),
    ...(mcp && { mcp: { ...mcp, toolsFor: (_mode, isDenied, joining) => mcp.toolsFor('ask', isDenied, joining) } }),
    grants: { ...grants, list: () => [{ kind: 'edits' }, ...grants.list()] },
  };
}
