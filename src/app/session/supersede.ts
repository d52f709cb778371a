import { totalsOf } from '../../core/session/usage-totals.ts';
import type { EventLog } from './event-log.ts';

/**
 * Ends a paused or interrupted run, because another run starts or the user stops it. @throws SessionError if another window or process is
 * using the session
 */
export function supersede(log: EventLog, now: () => number): void {
  const open = () => (log.state.lastRun?.status === 'finished' ? undefined : log.state.lastRun);
  if (!open()) return;
  log.locked(() => {
    // Another process may have ended the run before the log was locked.
    const run = open();
    if (run) log.emit(run.runId, { type: 'run_finished', outcome: 'stopped', ...totalsOf(run, log.state, now()) });
  });
}
