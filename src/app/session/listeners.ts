/** The listeners for the events of a session. */

import { isChildRun } from '../../core/session/children/child-ids.ts';
import type { AgentEvent } from '../../core/session/events.ts';

export type Listener = (event: AgentEvent) => void;

/** The events of child runs that concern everyone: what the user is asked, and what changes files. */
const TOLD = /^(approval|question|file|changes)_/;
const ASKED = /^(approval|question)_/;

export class Listeners {
  /** The listeners, with true for those that also receive what child runs do. */
  readonly #listeners = new Map<Listener, boolean>();

  /** Returns a function that removes the listener. */
  add(listener: Listener, withChildren = false): () => void {
    this.#listeners.set(listener, withChildren);
    return () => this.#listeners.delete(listener);
  }

  /** `isElsewhere` is true for events of a child run that changes nothing of the user. */
  tell(event: AgentEvent, isElsewhere: boolean): void {
    const isForAll = !isChildRun(event.runId) || (isElsewhere ? ASKED : TOLD).test(event.type);
    for (const [listener, withChildren] of this.#listeners) {
      if (!isForAll && !withChildren) continue;
      try {
        listener(event);
      } catch (error) {
        // A listener that fails must not stop the run or prevent other listeners from receiving the event.
        console.error(error);
      }
    }
  }
}
