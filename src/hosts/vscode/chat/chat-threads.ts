/** Stores data about the editor's chat threads: metadata with each answer, and the ids of chat sessions that have a live run. */
import type { Session } from '../../../app/session/session.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';

export const PARTICIPANT = 'kedge.agent';

/** The data that an answer stores for the next message of its chat thread. */
export type Metadata = { sessionId: string; mode: Mode; runId?: string; next?: 'plan' | 'paused' | 'failed' | 'half'; offered?: true };

/** The key under which chat sessions with a live run are stored. Sessions that are still stored after a reload were interrupted. */
const LIVE_KEY = 'kedge.liveChats';

const MAX_LIVE_CHATS = 20;

function liveChats({ context }: Pick<Kedge, 'context'>): string[] {
  return context.workspaceState.get<string[]>(LIVE_KEY, []);
}

/** Returns true if the run of the session was started in the Chat and is live. */
export function isChatSession(kedge: Pick<Kedge, 'context'>, { id }: Pick<Session, 'id'>): boolean {
  return liveChats(kedge).includes(id);
}

export async function markLive(kedge: Pick<Kedge, 'context'>, { id }: Session, isLive: boolean): Promise<void> {
  const others = liveChats(kedge).filter((other) => other !== id);
  await kedge.context.workspaceState.update(LIVE_KEY, isLive ? [...others, id].slice(-MAX_LIVE_CHATS) : others);
}

/** Returns the chat sessions whose runs were live when the window was closed or reloaded. */
export async function interruptedChats(kedge: Pick<Kedge, 'assistant' | 'context'>): Promise<Session[]> {
  // A session whose log cannot be read is skipped.
  const sessions = await Promise.all(liveChats(kedge).map((id) => kedge.assistant.session(id).catch(() => undefined)));
  return sessions.filter((session) => session !== undefined && !session.running) as Session[];
}
