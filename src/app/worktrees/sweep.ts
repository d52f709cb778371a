/** Deletes the worktrees that no session uses any more, for example after a crash. */

import type { SessionsPorts, WorktreesPort } from '../ports.ts';
import { EventLog } from '../session/event-log.ts';

/** A worktree that another process is creating is not in a log yet. */
const GRACE_MS = 3_600_000;

/** A log that cannot be read keeps its worktree. */
export async function sweepWorktrees(
  worktrees: WorktreesPort,
  { store, now = Date.now }: Pick<SessionsPorts, 'store' | 'now'>,
): Promise<void> {
  for (const { id, session, createdAt } of await worktrees.list()) {
    try {
      const log = await EventLog.open(store.log(session), now);
      const users = log ? [log.state, ...[...log.state.children.values()].flatMap(({ lastRun }) => lastRun ?? [])] : [];
      if (users.some(({ worktree }) => worktree === id)) continue;
      const isNew = now() - createdAt < GRACE_MS;
      const wasUsed = log?.events.ofType('run_started').some((run) => run.worktree === id);
      if (wasUsed || !isNew) await worktrees.remove(id);
    } catch {
      // The next call tries again.
    }
  }
}
