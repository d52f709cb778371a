import type { AssistantPorts, WorktreesPort } from '../ports.ts';
import { needsOneFolder } from './one-folder.ts';

/** @throws SessionError if the open folders can have no worktrees */
export async function loadWorktrees({ worktrees }: Pick<AssistantPorts, 'worktrees'>): Promise<WorktreesPort> {
  if (!worktrees) throw needsOneFolder();
  return worktrees();
}
