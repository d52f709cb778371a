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
  return participant;
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
