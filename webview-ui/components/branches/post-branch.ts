import type { ToHost } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { current } from '../../store.ts';

type Branching = Extract<ToHost, { type: 'resend' | 'branch' }>;
type WithoutSession<Message> = Message extends unknown ? Omit<Message, 'sessionId'> : never;

/** Posts a message about a run of the session that is shown. The host may show another session when it arrives. */
export function postBranch(message: WithoutSession<Branching>): void {
  const { sessionId } = current();
  if (sessionId !== undefined) post({ ...message, sessionId });
}
