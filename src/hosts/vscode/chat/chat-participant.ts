/** Registers the chat participant at activation. The code that answers (chat.ts) is loaded with the first message. */

import * as vscode from 'vscode';
import type { Kedge } from '../kedge.ts';
import { type Metadata, PARTICIPANT } from './chat-threads.ts';

export function registerChat(kedge: Kedge): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) => {
    const { answer } = await import('./chat.ts');
    return answer(kedge, request, context, stream, token);
  });
  participant.iconPath = new vscode.ThemeIcon('milestone');
  participant.followupProvider = { provideFollowups: (result) => followups(result.metadata as Metadata | undefined) };
  // The session may have been deleted, or be in use in another window. The rating is then dropped.
  const feedback = participant.onDidReceiveFeedback((given) => void takeFeedback(kedge, given).catch(() => undefined));
  return vscode.Disposable.from(participant, feedback);
}

/** Stores a thumbs up or down from the Chat as the rating of the run that answered. */
export async function takeFeedback({ assistant }: Pick<Kedge, 'assistant'>, { kind, result }: vscode.ChatResultFeedback): Promise<void> {
  const { sessionId, runId } = (result.metadata ?? {}) as Partial<Metadata>;
  if (sessionId === undefined || runId === undefined) return;
  const rating = kind === vscode.ChatResultFeedbackKind.Helpful ? 'up' : 'down';
  await (await assistant.library()).rate(sessionId, runId, rating);
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
