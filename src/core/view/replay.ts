/** Plays the events of a session again, in the order and at the pace in which they happened. */

import type { AgentEvent } from '../session/events.ts';

/** The longest pause between two events, in milliseconds. Longer pauses, such as waits for the user, are shortened to this time. */
const MAX_WAIT_MS = 2_000;

/** Yields each event with the time to wait before it is shown. `speed` 2 is twice as fast; with `Infinity`, there are no pauses. */
export function* replayOf(events: Iterable<AgentEvent>, { speed = 1 } = {}): Generator<{ event: AgentEvent; waitMs: number }> {
  let before: number | undefined;
  for (const event of events) {
    const passed = before === undefined ? 0 : Math.max(0, event.at - before);
    yield { event, waitMs: Math.min(passed, MAX_WAIT_MS) / speed };
    before = event.at;
  }
}
