/** The messages that a user sends. */

import { type ImagePart, type ModelRef, type NotePart, type TextPart, textOf, type UserMessage } from '../../core/model/messages.ts';
import { changeNote, planNote } from '../../core/plan/plan.ts';
import { finishedStepsText } from '../../core/plan/progress.ts';
import type { EventBody, Mode } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import { initPrompt, parseSlashCommand } from '../../core/words/slash-commands.ts';

/** The text that replaces the prompt if a message contains only images. */
export const IMAGE_ALONE = 'Image';

/** `text` may be empty if there are attachments. */
export type Prompt = {
  text: string;
  mode: Mode;
  /** Overrides the model of the mode. */
  model?: ModelRef;
  /** The name of an agent, or an empty text for none. Without it, the agent of the session's last run stays. */
  agent?: string;
  /** Whether an agent must not choose another model. */
  keepsModel?: true;
  /** Parts that follow the text of the message: images, and notes with the content of mentions. */
  attachments?: (TextPart | ImagePart | NotePart)[];
  /** Notes by Kedge that are added to the message. */
  notes?: NotePart[];
};

/**
 * Returns the user's last prompt with its attachments, so that it can be sent again. Returns undefined for the run of a plan, which has no
 * prompt.
 */
export function lastPrompt({ lastRun, messages }: SessionState): Prompt | undefined {
  if (!lastRun || lastRun.plan) return undefined;
  const said = messages.slice(lastRun.messagesBefore).filter((message) => message.role === 'user');
  // Queued messages can precede the prompt.
  const message = said.find((each) => textOf(each).startsWith(lastRun.prompt)) ?? said[0];
  return message && sentPrompt(message, lastRun.mode);
}

/** Returns the user's text, attachments and mentions. */
export function withoutKedgeNotes(content: UserMessage['content']): UserMessage['content'] {
  return content.filter((part) => part.type !== 'note' || part.about === 'mention');
}

/** Returns the user's part of a message, without the notes that Kedge added, or undefined if the message contains only notes. */
export function sentPrompt(message: UserMessage, mode: Mode): Prompt | undefined {
  const [first, ...rest] = withoutKedgeNotes(message.content);
  if (!first) return undefined;
  const text = first.type === 'text' ? first.text : '';
  return { text, mode, attachments: first.type === 'text' ? rest : [first, ...rest] };
}

/**
 * Returns the prompt of a run, so that it can be sent again. Returns undefined for the run of a plan and for applied code, because they did
 * not begin with a message.
 */
export function resentPrompt({ mode, plan, applies, prompt }: RunRecord, messages: readonly UserMessage[]): Prompt | undefined {
  if (plan || applies) return undefined;
  const sent = messages.flatMap((message) => sentPrompt(message, mode) ?? []);
  if (sent.length === 0) return undefined;
  // The log contains the command instead of the long text that is sent for it.
  const text = parseSlashCommand(prompt)
    ? prompt
    : sent
        .map((each) => each.text)
        .filter(Boolean)
        .join('\n\n');
  return { text, mode, attachments: sent.flatMap(({ attachments = [] }) => attachments) };
}

/** Returns a prompt without the images and mentions at these positions, where images and mentions are counted separately from 0. */
export function withoutAttachments(prompt: Prompt, without: { images: readonly number[]; mentions: readonly number[] }): Prompt {
  let [image, mention] = [0, 0];
  const attachments = (prompt.attachments ?? []).filter((part) => {
    if (part.type === 'image') return !without.images.includes(image++);
    return part.type !== 'note' || !part.ref || !without.mentions.includes(mention++);
  });
  return { ...prompt, attachments };
}

/** Returns the arguments of `Session.prompt` that make the model write an AGENTS.md. */
export function initiation(words: string, model?: ModelRef): [Prompt, { shown: string }] {
  return [{ text: initPrompt(words), mode: 'agent', ...(model && { model }) }, { shown: words ? `/init ${words}` : '/init' }];
}

/** Yields the events that add the messages to a run that were queued before it started. */
export function* queuedOpening(runId: string | undefined, state: SessionState): Generator<EventBody> {
  for (const queued of state.queue.values()) {
    if (queued.runId === runId) continue;
    const content = [...queued.message.content, ...takenBackNote(state)];
    yield { type: 'message_added', message: { role: 'user', content }, queued: queued.id };
  }
}

/**
 * Yields the messages with which a run was started and which are not in the log, because the program ended right after the start of the
 * run.
 */
export function* lostOpening(run: RunRecord, state: SessionState): Generator<EventBody> {
  const { runId, prompt, plan, revises, steps, used, attachments = [] } = run;
  if (used.turns > 0) return;
  yield* queuedOpening(runId, state);
  if (run.hasOpening) return;
  const revised = state.plans.get(revises ?? '')?.plan;
  const content = plan
    ? [planNote(plan, finishedStepsText(steps))]
    : userMessage(sentText(prompt), [...attachments, ...(revised ? [changeNote(revised)] : [])]).content;
  yield { type: 'message_added', message: { role: 'user', content: [...content, ...takenBackNote(state)] } };
}

/** Returns true if a run has not sent a request to the model yet and has nothing to send. */
export function isEmpty({ used, messagesBefore }: RunRecord, { messages, queue }: SessionState): boolean {
  return used.turns === 0 && messages.length <= messagesBefore && queue.size === 0;
}

/** Returns the text that is sent for a prompt that the user sees. */
function sentText(shown: string): string {
  const command = parseSlashCommand(shown.replace(/^kedge (?=init\b)/, '/'));
  return command?.name === 'init' ? initPrompt(command.words) : shown;
}

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
