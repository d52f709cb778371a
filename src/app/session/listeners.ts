/** The listeners for the events of a session. */

import type { AgentEvent } from '../../core/session/events.ts';

export type Listener = (event: AgentEvent) => void;

export class Listeners {
  readonly #listeners = new Set<Listener>();

  /** Returns a function that removes the listener. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // A listener that fails must not stop the run or prevent other listeners from receiving the event.
        console.error(error);
      }
    }
  }
}
