import { SessionError } from '../session/session-error.ts';

/** The reason why a window or command has no worktrees. */
export function needsOneFolder(): SessionError {
  return new SessionError('Worktrees need exactly one open folder on this computer. Open only the folder in which the run should work.');
}
