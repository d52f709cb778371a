/**
 * The changes of child runs that work where their parent works. They count as changes of the parent as well, so its review, undo and plan contain
 * them. A child with a worktree of its own changes nothing of its parent.
 */

import { stepsAfter } from '../../plan/progress.ts';
import type { AgentEvent } from '../events.ts';
import type { MutableSessionState, SessionState } from '../session-state.ts';
import { reduceWrites } from '../staged-writes.ts';

export function reduceChildWrites(state: MutableSessionState, child: SessionState, event: AgentEvent): void {
  const run = state.lastRun;
  if (!run || child.lastRun?.worktree !== run.worktree) return;
  switch (event.type) {
    case 'changes_staged':
    case 'changes_dropped':
    case 'file_changed':
      reduceWrites(state, { ...event, runId: run.runId }, run);
      break;
    case 'tool_started':
      if (event.effect !== 'readonly') run.actions = (run.actions ?? 0) + 1;
      break;
  }
  if (event.type === 'file_changed' || event.type === 'tool_started') run.steps = stepsAfter(run.steps, event);
}
