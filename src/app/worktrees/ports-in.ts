/** Builds the ports with which a run works in a worktree. */

import type { Permission } from '../../core/session/grant-scope.ts';
import { quoted, runsCode } from '../../policy/steering.ts';
import type { AssistantPorts, PolicySettings } from '../ports.ts';
import { SessionError } from '../session/session-error.ts';

/**
 * The user's folders cannot be reached through these ports: MCP servers and language services work there, so only the reading tools of servers
 * are left. Edits need no approval, because the user reviews them before they are applied. Until then nobody has seen them, so a command that runs
 * the code of the folder needs approval here, although a rule or an earlier permission allows it in the user's folder.
 * @throws SessionError if the session has no such worktree
 */
export async function portsIn(ports: AssistantPorts, worktree: string, sessionId: string): Promise<AssistantPorts> {
  if (!ports.worktrees) throw new SessionError('The folders of this window have no worktrees, so this session cannot be continued here.');
  const { languages: _, format: __, terminalOutput: ___, mcp, grants, policy, ...others } = ports;
  return {
    ...others,
    ...(await (await ports.worktrees()).open(worktree, sessionId)),
    ...(mcp && { mcp: { ...mcp, toolsFor: (_mode, isDenied, joining) => mcp.toolsFor('ask', isDenied, joining) } }),
    ...(policy && { policy: () => withoutCode(policy()) }),
    grants: { ...grants, list: () => [{ kind: 'edits' }, ...grantsIn(grants.list())] },
  };
}

/** A user who allows edits without review as well has accepted that changed code runs. */
function grantsIn(all: readonly Permission[]): readonly Permission[] {
  if (all.some(({ kind }) => kind === 'edits')) return all;
  return all.filter((each) => each.kind !== 'command' || !runsCode({ text: each.prefix.map(quoted).join(' '), folders: [] }));
}

function withoutCode<Settings extends PolicySettings>(settings: Settings): Settings {
  const rules = settings.rules.filter(
    ({ effect, command }) => effect !== 'allow' || command === undefined || !runsCode({ text: command, folders: [] }),
  );
  return { ...settings, rules };
}
