/** Finds the session that a command line names. */
import type { Assistant } from '../../../app/assistant.ts';
import type { Session } from '../../../app/session/session.ts';
import { UsageError } from '../options/arguments.ts';
import { whereIs } from './elsewhere.ts';

/** Finds a session by its id, the beginning of its id, or `last`. @throws UsageError if no session or several sessions match. */
export async function findSession(assistant: Assistant, wanted: string): Promise<Session> {
  const id = await findId(assistant, wanted);
  const session = await assistant.session(id);
  if (session) return session;
  throw new UsageError(`This folder has no session ${wanted}. To list sessions, run kedge sessions.`);
}

/** Does the same without opening the session, which may be damaged. If the session belongs to another folder, the error says so. */
export async function findId(assistant: Assistant, wanted: string): Promise<string> {
  const infos = await assistant.sessions();
  const matches = wanted === 'last' ? infos.slice(0, 1) : infos.filter(({ id }) => id.startsWith(wanted));
  if (matches.length > 1)
    throw new UsageError(
      `${matches.length} session ids begin with ${wanted}. Enter more characters of the id. To list sessions, run kedge sessions.`,
    );
  if (matches[0]) return matches[0].id;
  throw new UsageError(
    wanted === 'last'
      ? 'This folder has no sessions yet. Start one with kedge ask, kedge plan or kedge agent.'
      : ((await whereIs(assistant, wanted)) ?? `This folder has no session ${wanted}. To list sessions, run kedge sessions.`),
  );
}
