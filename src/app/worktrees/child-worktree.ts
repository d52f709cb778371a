/** The worktree of one child run. It is deleted when the user has applied or rejected its changes. */
import { ToolError } from '../../core/run/tool.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { AssistantPorts, WorktreesPort } from '../ports.ts';
import type { RunScope } from '../run/run-scope.ts';
import { SessionError } from '../session/session-error.ts';
import { loadWorktrees } from './load-worktrees.ts';
import { sweepWorktrees } from './sweep.ts';

export type ChildWorktree = Pick<WorktreesPort, 'remove'> & {
  changes(id: string, signal: AbortSignal): ReturnType<WorktreesPort['changes']>;
  /** Returns the id of a new worktree. @throws ToolError that says why there is none */
  create(signal: AbortSignal): Promise<string>;
};

export async function childWorktree(
  run: RunRecord,
  { sessionId }: Pick<RunScope, 'sessionId'>,
  ports: AssistantPorts,
): Promise<ChildWorktree> {
  if (run.worktree !== undefined) throw new ToolError('This run already works in a worktree. Delegate the task with `write`: `here`.');
  // Changes that nobody can review would be deleted unseen.
  if (ports.unattended?.())
    throw new ToolError('Nobody is here to review the changes of a worktree. Delegate the task with `write`: `here`.');
  try {
    const worktrees = await loadWorktrees(ports);
    return {
      changes: (id, signal) => worktrees.changes(id, sessionId, signal),
      remove: (id) => worktrees.remove(id),
      async create(signal) {
        await sweepWorktrees(worktrees, ports);
        return asToolError(worktrees.create(sessionId, signal));
      },
    };
  } catch (error) {
    throw error instanceof SessionError ? new ToolError(error.message) : error;
  }
}

function asToolError<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw error instanceof SessionError ? new ToolError(error.message) : error;
  });
}
