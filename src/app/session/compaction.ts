/** What `Session.compact` needs, and what it tells the user. */
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { SessionError } from './session-error.ts';

export type CompactionEnd = 'compacted' | 'impossible' | 'stopped';

/** Returns the run whose mode and model are used. @throws SessionError if nothing can be compacted now. */
export function compactableRun({ lastRun, open }: SessionState): RunRecord {
  if (!lastRun) throw new SessionError('There is no conversation to compact yet. Send a message first.');
  if (open.length > 0) throw new SessionError('A tool call is not finished. Continue the run first.');
  return lastRun;
}

/** @throws SessionError if the conversation did not become shorter. */
export function expectCompacted(end: CompactionEnd): void {
  if (end === 'impossible') throw new SessionError('The conversation cannot be compacted further now.');
}
