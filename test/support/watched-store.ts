/** A store that calls a function before and after each event that it appends to a log. */
import type { AgentEvent } from '../../src/core/session/events.ts';
import { type SessionLog, SessionStore } from '../../src/sessions/store.ts';

export class WatchedStore extends SessionStore {
  readonly #moment: () => void;

  constructor(directory: string, moment: () => void) {
    super(directory);
    this.#moment = moment;
  }

  override log(id: string): SessionLog {
    const log = super.log(id);
    const append = log.append.bind(log);
    log.append = (event: AgentEvent) => {
      this.#moment();
      const offset = append(event);
      this.#moment();
      return offset;
    };
    return log;
  }
}
