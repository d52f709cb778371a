/** The answer of a child run, as its parent receives it. */

import { charactersFor } from '../../../core/context/tokens.ts';
import { textOf } from '../../../core/model/messages.ts';
import type { ToolOutput } from '../../../core/run/tool.ts';
import type { EventList } from '../../../core/session/lists.ts';
import type { RunRecord, SessionState } from '../../../core/session/session-state.ts';

/** The log keeps all of a longer answer, and the model can read it again with `recall`. */
const MOST_TOKENS = 1_500;
const MAX_SOURCES = 20;

export function answerOf(run: RunRecord, state: SessionState, events: EventList): ToolOutput {
  const text = lastText(state);
  const more = { most: charactersFor(MOST_TOKENS) };
  if (run.outcome === 'answered') return { content: `${text}${sourcesText(state)}`, ...more };
  return { content: `${reasonOf(run, events)}${text && ` It wrote: ${text}`}${sourcesText(state)}`, isError: true, ...more };
}

function lastText({ messages }: SessionState): string {
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
  const paths = [...new Set([...reads.values()].map(({ path }) => path))];
  if (paths.length === 0) return '';
  const more = paths.length > MAX_SOURCES ? ` and ${paths.length - MAX_SOURCES} more` : '';
  return `\n\nFiles it read: ${paths.slice(0, MAX_SOURCES).join(', ')}${more}`;
}
