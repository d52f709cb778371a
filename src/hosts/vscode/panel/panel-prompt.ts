/** Sends the messages that the user writes in the panel. A message that is not accepted returns to the composer. */
import * as vscode from 'vscode';
import type { SentPrompt } from '../../../app/customizations/index.ts';
import { initiation } from '../../../app/session/prompt.ts';
import type { Session } from '../../../app/session/session.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import type { ImagePart } from '../../../core/model/messages.ts';
import type { Mode } from '../../../core/session/events.ts';
import { parseSlashCommand } from '../../../core/words/slash-commands.ts';
import type { ToHost, ToPanel } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';
import { remember } from '../memory.ts';
import { NotSent, type PanelMentions } from './panel-mentions.ts';

type Prompt = Extract<ToHost, { type: 'prompt' }>;
type Parts = { kedge: Kedge; mentions: PanelMentions; post: (message: ToPanel) => void };

/**
 * Sends a message. Resolves when the run or the command that it started has ended.
 * @throws the errors that occur after the message was accepted
 */
export async function sendPrompt(message: Prompt, parts: Parts): Promise<void> {
  const { id } = message;
  let isAccepted = false;
  const accept = () => {
    if (!isAccepted && id !== undefined) parts.post({ type: 'sent', id });
    isAccepted = true;
  };
  try {
    await send(message, parts, accept);
    accept();
  } catch (error) {
    if (isAccepted) throw error;
    const level = error instanceof SessionError || error instanceof NotSent ? 'info' : 'error';
    const reason = error instanceof Error ? error.message : String(error);
    parts.post({ type: 'not_sent', ...(id !== undefined && { id }), level, reason });
  }
}

async function send(message: Prompt, { kedge, mentions, post }: Parts, accept: () => void): Promise<void> {
  const { mode, sessionId } = message;
  const shownSession = sessionId === undefined ? undefined : await kedge.assistant.session(sessionId).catch(() => undefined);
  const session = shownSession ?? (await kedge.sessions.current());
  if (message.text === '/skills') return void vscode.commands.executeCommand('kedge.showCustomizations');
  const background = /^\s*\/background(?:\s+([\s\S]*))?$/.exec(message.text);
  if (background) return (await import('../actions/background.ts')).runInBackground(kedge, background[1]);
  // The panel sends the command only if words follow it.
  const words = /^\/agent\s+([\s\S]+)$/.exec(message.text)?.[1];
  const { text, only } =
    words === undefined
      ? { text: message.text, only: undefined }
      : await (await import('../agents/choose-agent.ts')).withAgent(kedge, session, words);
  if (only !== undefined) return kedge.setAgent(session, only);
  const command = parseSlashCommand(text);
  if (command?.name === 'remember') return post({ type: 'notice', level: 'info', text: await remember(kedge, command) });
  if (command?.name === 'compact') return session.compact(command.words);
  if (!command) await kedge.setMode(mode);
  const sent = !command && text.startsWith('/') ? await promptFile(kedge, session, text, mode) : undefined;
  const used = command ? 'agent' : (sent?.mode ?? mode);
  const model = kedge.modelFor(session.id, used);
  const { mentions: added = [] } = message;
  const refs = command ? added : await mentions.withPrompt(session, text, added);
  const mentioned = await mentions.read(session, refs, model);
  const images = (message.images ?? []).map((image): ImagePart => ({ type: 'image', ...image }));
  const attachments = [...images, ...mentioned];
  // The promise of a run resolves when the run ends, but the message is accepted as soon as the run starts.
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== 'run_started') return;
    accept();
    // The model of an agent is not the user's choice for later messages.
    if (!event.agent) void kedge.sessionModels.keep(session.id, event.mode, event.model);
    else kedge.setAgent(session, event.agent.name);
  });
  try {
    const agent = kedge.agentOf(session);
    if (!command) return await session.say({ ...(sent ?? { text, mode }), model, attachments, ...(agent !== undefined && { agent }) });
    const [prompt, bound] = initiation(command.words, model);
    await session.prompt({ ...prompt, attachments }, bound);
  } finally {
    unsubscribe();
  }
}

/** The code of prompt files is loaded with the first message that may be a command of one. */
async function promptFile(kedge: Kedge, session: Session, text: string, mode: Mode): Promise<SentPrompt | undefined> {
  const { expectFits, promptFile } = await import('../prompt-files.ts');
  const sent = await promptFile(kedge, session, text, mode);
  if (sent && takesMessages(session)) expectFits(sent, session.state.lastRun?.mode);
  return sent;
}

/** Returns true if a message becomes part of the last run. */
function takesMessages({ running, state }: Session): boolean {
  return running || (state.lastRun?.status === 'paused' && state.lastRun.pause === 'user');
}
