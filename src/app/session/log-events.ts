/** Creates the events that the log itself adds to a run: its receipt, and the pause after an interruption. */

import type { AgentEvent } from '../../core/session/events.ts';
import type { EventList } from '../../core/session/lists.ts';
import { type SessionState, waitsForUser } from '../../core/session/session-state.ts';
import { receiptOf } from '../../core/view/run-receipt.ts';
import { readRun } from '../../core/view/session-view.ts';

/** Returns the receipt of a run as a field of its end. It is missing if the log cannot be read, because a run must end even then. */
export function receiptIn(
  events: EventList,
  runId: string,
  canWrite?: boolean,
): Pick<Extract<AgentEvent, { type: 'run_finished' }>, 'receipt'> {
  try {
    return { receipt: receiptOf(readRun(events, runId), canWrite) };
  } catch {
    return {};
  }
}

/** Returns the pause event of the last run if it is in progress and does not wait for an answer. */
export function interruptionOf(state: SessionState, at: number): AgentEvent | undefined {
  const run = state.lastRun;
  if (run?.status !== 'live' || waitsForUser(state)) return undefined;
  return {
    type: 'run_paused',
    reason: 'interrupted',
    summary: 'The run was interrupted. You can continue it from where it stopped.',
    runId: run.runId,
    seq: state.seq + 1,
    at,
  };
}
