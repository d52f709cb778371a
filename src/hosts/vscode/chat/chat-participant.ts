/** The native chat participant: there from the start, while what answers (chat.ts) is loaded with the first message. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';

export const PARTICIPANT = 'kedge.agent';
/** Where the sessions of threads are noted while their runs are live: those that are there after a reload were interrupted. */
const LIVE_KEY = 'kedge.liveChats';
const MAX_NOTED = 20;

/** What a finished answer leaves behind for the next message of its thread. */
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

function noted(kedge: Kedge): string[] {
  return kedge.context.workspaceState.get<string[]>(LIVE_KEY, []);
}

export async function note(kedge: Kedge, { id }: Session, live: boolean): Promise<void> {
  const others = noted(kedge).filter((other) => other !== id);
  await kedge.context.workspaceState.update(LIVE_KEY, live ? [...others, id].slice(-MAX_NOTED) : others);
}

/** The sessions whose runs in threads of the Chat were live when the window went away. */
export async function interruptedChats(kedge: Kedge): Promise<Session[]> {
  // A log that cannot be read keeps nobody from the others.
  const sessions = await Promise.all(noted(kedge).map((id) => kedge.assistant.session(id).catch(() => undefined)));
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
      return [{ prompt: 'Go on', label: 'Continue', command: 'continue' }];
    default:
      return [];
  }
}
