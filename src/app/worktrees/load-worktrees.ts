import type { AssistantPorts, WorktreesPort } from '../ports.ts';
import { SessionError } from '../session/session-error.ts';

/** @throws SessionError if the open folders can have no worktrees */
export async function loadWorktrees({ worktrees }: Pick<AssistantPorts, 'worktrees'>): Promise<WorktreesPort> {
  if (!worktrees)
    throw new SessionError('Worktrees need exactly one open folder on this computer. Open only the folder in which the run should work.');
  return worktrees();
}
