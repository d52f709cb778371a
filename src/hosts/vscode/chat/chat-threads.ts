/** What Kedge stores about the editor's chat threads: with each answer, and while a thread's run is live. */
import type { Session } from '../../../app/session/session.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';

export const PARTICIPANT = 'kedge.agent';

/** What a finished answer leaves behind for the next message of its thread. */
export type Metadata = { sessionId: string; mode: Mode; runId?: string; next?: 'plan' | 'paused' | 'failed' | 'half'; offered?: true };

/** Where the sessions of threads are noted while their runs are live: those that are there after a reload were interrupted. */
const LIVE_KEY = 'kedge.liveChats';

const MAX_NOTED = 20;

function noted({ context }: Pick<Kedge, 'context'>): string[] {
  return context.workspaceState.get<string[]>(LIVE_KEY, []);
}

export async function note(kedge: Pick<Kedge, 'context'>, { id }: Session, live: boolean): Promise<void> {
  const others = noted(kedge).filter((other) => other !== id);
  await kedge.context.workspaceState.update(LIVE_KEY, live ? [...others, id].slice(-MAX_NOTED) : others);
}

/** The sessions whose runs in threads of the Chat were live when the window went away. */
export async function interruptedChats(kedge: Pick<Kedge, 'assistant' | 'context'>): Promise<Session[]> {
  // A log that cannot be read keeps nobody from the others.
  const sessions = await Promise.all(noted(kedge).map((id) => kedge.assistant.session(id).catch(() => undefined)));
  return sessions.filter((session) => session !== undefined && !session.running) as Session[];
}
