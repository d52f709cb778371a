/** Checks all sessions of a workspace and the files that are stored beside them, and repairs them where possible. No log is ever deleted. */
import { examineStorage, type Finding, type Places } from '../../sessions/doctor.ts';
import { listSessions } from '../../sessions/session-list.ts';
import type { Session } from '../session/session.ts';

export type { Finding } from '../../sessions/doctor.ts';

/** @param open opens a session; it throws if the session cannot be opened */
export async function* examine(places: Places, repair: boolean, open: (id: string) => Promise<Session>): AsyncGenerator<Finding> {
  yield* examineStorage(places, repair);
  for (const { id } of await listSessions(places.sessions)) {
    try {
      const session = await open(id);
      if (session.damage === undefined) continue;
      const problem = `Session ${id}: ${session.damage}`;
      if (!repair) yield { problem };
      else {
        // Logging an event mends the log. The event, and the gap in the numbers before it, show that something is missing.
        session.note({ type: 'session_repaired' });
        yield { problem, repaired: 'The log was rewritten without them.' };
      }
    } catch (error) {
      yield { problem: `Session ${id}: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
}
