/** Selects the runs of a session that the panel shows. A long session is shown in portions, because drawing all of it takes seconds. */
import { readFailure } from '../../../app/session/log-texts.ts';
import type { Session } from '../../../app/session/session.ts';
import { rootRunId } from '../../../core/session/children/child-ids.ts';
import { type AgentEvent, isSessionEvent } from '../../../core/session/events.ts';

const RUNS = 20;
const EVENTS = 3_000;

/**
 * Returns the ids of the newest runs, in order: for each portion at most 20 runs with 3,000 events in total, but at least one run.
 * @param runIds all runs of the session, in order
 * @param portions the number of portions that the user wants to see, from 1
 */
export function newestRuns(runIds: readonly string[], events: readonly Pick<AgentEvent, 'runId'>[], portions: number): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const event of events) {
    const runId = rootRunId(event.runId);
    sizes.set(runId, (sizes.get(runId) ?? 0) + 1);
  }
  const newest: string[] = [];
  let sum = 0;
  for (const runId of runIds.toReversed()) {
    sum += sizes.get(runId) ?? 0;
    if (newest.length >= RUNS * portions || (sum > EVENTS * portions && newest.length >= portions)) break;
    newest.unshift(runId);
  }
  return new Set(newest);
}

/** The events that the panel shows, and the number of earlier runs. `problem` is set instead if the log cannot be read. */
export type Newest = { events: AgentEvent[]; earlierRuns: number; problem?: undefined } | { problem: string };

export function newestEvents(session: Session, portions: number): Newest {
  const read = () => {
    const { runs } = session.state;
    const shown = newestRuns([...runs.keys()], session.events.facts(), portions);
    const events = session.events.select((event) => shown.has(rootRunId(event.runId)) || isSessionEvent(event));
    return { events, earlierRuns: runs.size - shown.size };
  };
  try {
    session.refresh();
    return read();
  } catch (error) {
    const failure = readFailure(error);
    return { problem: failure instanceof Error ? failure.message : String(failure) };
  }
}
