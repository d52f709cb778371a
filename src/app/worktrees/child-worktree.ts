/** The worktree of one child run. It is deleted when the user has applied or rejected its changes. What nobody has decided on stays. */
import { ToolError } from '../../core/run/tool.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { isUnapplied } from '../../tools/edit/apply-worktree.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts, WorktreesPort } from '../ports.ts';
import type { RunScope } from '../run/run-scope.ts';
import { SessionError } from '../session/session-error.ts';
import { loadWorktrees } from './load-worktrees.ts';
import { sweepWorktrees } from './sweep.ts';

export type ChildWorktree = Pick<WorktreesPort, 'remove'> & {
  changes(id: string, signal: AbortSignal): ReturnType<WorktreesPort['changes']>;
  /** Returns the id of a new worktree. @throws ToolError that says why there is none */
  create(signal: AbortSignal): Promise<string>;
  /** Deletes the worktree unless it contains changes that the user's files do not have. Returns a sentence about those that stay. */
  close(id: string, signal: AbortSignal): Promise<string | undefined>;
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
      async close(id, signal) {
        const workspace = new Workspace(ports.fileSystem());
        const found = await worktrees.changes(id, sessionId, signal).catch(() => undefined);
        signal.throwIfAborted();
        const left = await Promise.all((found?.changes ?? []).map((change) => isUnapplied(workspace, change)));
        if (found && found.skipped.length === 0 && !left.includes(true)) return void (await worktrees.remove(id).catch(() => undefined));
        const path = await worktrees.keep(id);
        return (
          path &&
          `Nobody has reviewed what was not applied, so it stays in the worktree ${path}. Delete it with “git worktree remove --force”.`
        );
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
