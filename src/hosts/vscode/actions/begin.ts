/** Sends a prompt that the user started outside the panel. */
import * as vscode from 'vscode';
import type { Pointed } from '../../../app/mentions/index.ts';
import type { Session } from '../../../app/session/session.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import { mentionLabel, refusalText } from '../../../core/model/mentions.ts';
import type { MentionRef } from '../../../core/model/messages.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';
import type { Panel } from '../panel/panel.ts';

export type Beginning = { text: string; mode: Mode; refs: readonly Pointed[] };

/** Shows the run in `panel`, if there is one, and resolves when it has started. @throws SessionError if a mention may not be sent */
export async function begin(kedge: Kedge, panel: Pick<Panel, 'reveal'> | undefined, { text, mode, refs }: Beginning): Promise<void> {
  if (mode === 'agent' && !vscode.workspace.isTrusted)
    throw new SessionError('Kedge changes files only in a trusted workspace. Trust the workspace first.');
  const session = await idleSession(kedge);
  const mentions = await kedge.assistant.mentions(session);
  const never = new AbortController().signal;
  const { parts, refused } = await mentions.read(refs, ({ reason }, ref) => confirm(reason, ref), never, kedge.settings.model(mode));
  if (refused.length > 0) throw new SessionError(refusalText(refused));
  await kedge.setMode(mode);
  if (kedge.sessions.shownId !== session.id) await kedge.sessions.show(session);
  await panel?.reveal();
  await started(session, () => session.prompt({ text, mode, attachments: parts }));
}

/** Returns the session that the panel shows, or a new session if that one is busy. */
async function idleSession({ assistant, sessions }: Kedge): Promise<Session> {
  const shown = await sessions.current();
  const isIdle = !shown.busy && shown.state.lastRun?.status !== 'paused' && shown.state.lastRun?.status !== 'live';
  return isIdle ? shown : assistant.newSession();
}

/** Resolves when the run has started. The panel shows what happens in it. */
function started(session: Session, run: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = session.subscribe(({ type }) => type === 'run_started' && resolve());
    run().then(resolve, reject).finally(stop);
  });
}

async function confirm(reason: string, ref: MentionRef): Promise<boolean> {
  const send = 'Send Content';
  const question = `${reason} Send the content of ${mentionLabel(ref)} to the model?`;
  return (await vscode.window.showWarningMessage(notificationText(question), { modal: true }, send)) === send;
}
