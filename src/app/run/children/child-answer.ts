/** The answer of a child run, as its parent receives it. */

import { charactersFor } from '../../../core/context/tokens.ts';
import { textOf } from '../../../core/model/messages.ts';
import type { ToolOutput } from '../../../core/run/tool.ts';
import type { EventList } from '../../../core/session/lists.ts';
import type { RunRecord, SessionState } from '../../../core/session/session-state.ts';
import { changesOf } from '../../../core/view/run-changes.ts';

/** The log keeps all of a longer answer, and the model can read it again with `recall`. */
const MOST_TOKENS = 1_500;
const MAX_NAMES = 20;

/** The outcome for the changes of a child in a worktree. `state` is that of the run in which the user applied them. */
export type Applied = { text: string; state?: SessionState };

export function answerOf(run: RunRecord, state: SessionState, events: EventList, applied?: Applied): ToolOutput {
  const text = lastText(state);
  const facts = `${applied ? `\n\n${applied.text}${applied.state ? changesText(applied.state) : ''}` : changesText(state)}${sourcesText(state)}`;
  const more = { most: charactersFor(MOST_TOKENS) };
  if (run.outcome === 'answered') return { content: `${text}${facts}`, ...more };
  return { content: `${reasonOf(run, events)}${text && ` It wrote: ${text}`}${facts}`, isError: true, ...more };
}

export function lastText({ messages }: SessionState): string {
  const message = messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? textOf(message).trim() : '';
}

function reasonOf({ runId, outcome, pause, reached }: RunRecord, events: EventList): string {
  const error = events.ofType('run_finished', runId).at(-1)?.error?.message;
  if (error !== undefined) return `The subtask failed: ${error}`;
  if (outcome === 'refused') return 'The subtask failed: the model refused it.';
  if (pause === 'repeating') return 'The subtask was ended, because the model repeated the same calls.';
  if (pause === 'max_tokens') return 'The subtask was ended, because its answer was cut off at the output limit.';
  if (pause === 'limit' && reached) return `The subtask was ended at its own limit (${reached.limit}: ${reached.max}).`;
  return 'The subtask was stopped before it had an answer.';
}

function sourcesText({ reads }: SessionState): string {
  return listText('Files it read', [...new Set([...reads.values()].map(({ path }) => path))]);
}

/** Says what the log knows, because a model may leave out what it changed. */
function changesText({ staged }: SessionState): string {
  const writes = staged.map(({ callId, change }) => ({ callId, status: 'landed' as const, changes: [change] }));
  return listText(
    'Files it changed',
    changesOf(writes).map(({ path, kind, added, removed }) => `${path} (${kind}, +${added} −${removed})`),
  );
}

function listText(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `\n\n${title}: ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}
