import type { ToHost } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { current } from '../../store.ts';

type Branching = Extract<ToHost, { type: 'resend' | 'branch' }>;
type WithoutSession<Message> = Message extends unknown ? Omit<Message, 'sessionId'> : never;

/** Posts a message about a run of the displayed session. The host may have switched to another session when the message arrives. */
export function postBranch(message: WithoutSession<Branching>): void {
  const { sessionId } = current();
  if (sessionId !== undefined) post({ ...message, sessionId });
}
