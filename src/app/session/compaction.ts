/** Checks whether a session can be compacted, and creates the messages that `Session.compact` shows to the user. */
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { lastAsked } from './last-run.ts';
import { SessionError } from './session-error.ts';

export type CompactionEnd = 'compacted' | 'impossible' | 'stopped';

/** Returns the run whose mode and model are used. @throws SessionError if nothing can be compacted now. */
export function compactableRun(state: SessionState): RunRecord {
  const lastRun = lastAsked(state);
  if (!lastRun) throw new SessionError('There is no conversation to compact yet. Send a message first.');
  // The conversation is compacted with the model and the rules of this run.
  if (lastRun.worktree !== undefined && lastRun.worktree !== state.worktree)
    throw new SessionError('The last run worked in a worktree that is gone. Send a message first, and then compact the conversation.');
  if (state.open.length > 0) throw new SessionError('A tool call is not finished. Continue the run first.');
  return lastRun;
}

/** @throws SessionError if the conversation did not become shorter. */
export function expectCompacted(end: CompactionEnd): void {
  if (end === 'impossible')
    throw new SessionError('The conversation cannot be compacted any further. Send another message, or start a new session.');
}
