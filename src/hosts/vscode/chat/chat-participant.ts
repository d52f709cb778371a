/** Registers the chat participant at activation. The code that answers (chat.ts) is loaded with the first message. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';

export const PARTICIPANT = 'kedge.agent';
/** The key under which chat sessions with a live run are stored. The ones that are still stored after a reload were interrupted. */
const LIVE_KEY = 'kedge.liveChats';
const MAX_LIVE_CHATS = 20;

/** The data that an answer stores for the next message of its chat thread. */
export type Metadata = { sessionId: string; mode: Mode; runId?: string; next?: 'plan' | 'paused' | 'failed' | 'half'; offered?: true };

export function registerChat(kedge: Kedge): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) => {
    const { answer } = await import('./chat.ts');
    return answer(kedge, request, context, stream, token);
  });
  participant.iconPath = new vscode.ThemeIcon('milestone');
  participant.followupProvider = { provideFollowups: (result) => followups(result.metadata as Metadata | undefined) };
  return participant;
}

function liveChats(kedge: Kedge): string[] {
  return kedge.context.workspaceState.get<string[]>(LIVE_KEY, []);
}

export async function markLive(kedge: Kedge, { id }: Session, isLive: boolean): Promise<void> {
  const others = liveChats(kedge).filter((other) => other !== id);
  await kedge.context.workspaceState.update(LIVE_KEY, isLive ? [...others, id].slice(-MAX_LIVE_CHATS) : others);
}

/** Returns the chat sessions whose runs were live when the window was closed or reloaded. */
export async function interruptedChats(kedge: Kedge): Promise<Session[]> {
  // A session whose log cannot be read is skipped.
  const sessions = await Promise.all(liveChats(kedge).map((id) => kedge.assistant.session(id).catch(() => undefined)));
  return sessions.filter((session) => session !== undefined && !session.running) as Session[];
}

function followups(metadata: Metadata | undefined): vscode.ChatFollowup[] {
  switch (metadata?.next) {
    case 'plan':
      return [{ prompt: 'Run the plan', label: 'Run plan', command: 'run' }];
    case 'failed':
      return [{ prompt: 'Try again', label: 'Try again', command: 'continue' }];
    case 'paused':
    case 'half':
      return [{ prompt: 'Continue the run', label: 'Continue', command: 'continue' }];
    default:
      return [];
  }
}
