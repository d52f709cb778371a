/** Renames and pins sessions, and rates answers. */
import type { Rating } from '../../core/session/answers.ts';
import { titleOf } from '../../core/session/title.ts';
import { readRun } from '../../core/view/session-view.ts';
import type { Session } from './session.ts';
import { SessionError } from './session-error.ts';

/** The maximum length of a remark about an answer, in characters. */
const MAX_WORDS = 2_000;

/** @throws SessionError if the title is empty, or if another window or process is using the session */
export function rename(session: Session, words: string): void {
  const title = titleOf(words.trim().replace(/\s+/g, ' '));
  expectBegun(session);
  if (!title) throw new SessionError('The title is empty. Enter a title for the session.');
  if (title !== session.state.title) session.note({ type: 'session_renamed', title });
}

/** @throws SessionError if another window or process is using the session */
export function pin(session: Session, pinned: boolean): void {
  expectBegun(session);
  if (pinned !== session.state.isPinned) session.note({ type: 'session_pinned', pinned });
}

/** Logs the user's rating of the answer of a run. @throws SessionError if there is no such run, or if another process uses the session */
export function rate(session: Session, runId: string, rating: Rating | 'none', words = ''): void {
  if (!session.state.runs.has(runId)) throw new SessionError('This answer is not in the session. Open the session again.');
  const now = readRun(session.events, runId).rating;
  const about = words.trim().slice(0, MAX_WORDS);
  if ((now?.rating ?? 'none') === rating && (now?.words ?? '') === about) return;
  session.note({ type: 'answer_rated', rating, ...(about && rating !== 'none' && { words: about }) }, runId);
}

function expectBegun({ state }: Session): void {
  if (state.seq === 0) throw new SessionError('This session has no messages yet. Send a message first.');
}
