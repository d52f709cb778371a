/** The messages that a user sends. */

import { type ImagePart, type ModelRef, type NotePart, type TextPart, textOf, type UserMessage } from '../../core/model/messages.ts';
import { changeNote, planNote } from '../../core/plan/plan.ts';
import { finishedStepsText } from '../../core/plan/progress.ts';
import type { EventBody, Mode } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { initPrompt } from '../../core/words/slash-commands.ts';

/** `text` may be empty if there are attachments. */
export type Prompt = {
  text: string;
  mode: Mode;
  /** Overrides the model of the mode. */
  model?: ModelRef;
  /** Added to the message after the text: images, and notes with the content of mentions. */
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
  const [first, ...rest] = (message?.content ?? []).filter((part) => part.type !== 'note' || part.about === 'mention');
  if (!first) return undefined;
  const text = first.type === 'text' ? first.text : '';
  return { text, mode: lastRun.mode, attachments: first.type === 'text' ? rest : [first, ...rest] };
}

/** Returns the arguments of `Session.prompt` that make the model write an AGENTS.md. */
export function initiation(words: string, model?: ModelRef): [Prompt, { shown: string }] {
  return [{ text: initPrompt(words), mode: 'agent', ...(model && { model }) }, { shown: words ? `/init ${words}` : '/init' }];
}

/**
 * Returns the message that a run was started with if it is not in the log, because the program ended right after the start of the run.
 * Attachments cannot be restored.
 */
export function lostOpening({ prompt, plan, revises, steps, used, messagesBefore }: RunRecord, state: SessionState): EventBody | undefined {
  if (used.turns > 0 || state.messages.length > messagesBefore || state.queue.size > 0) return undefined;
  const revised = state.plans.get(revises ?? '')?.plan;
  const content = plan ? [planNote(plan, finishedStepsText(steps))] : userMessage(prompt, revised ? [changeNote(revised)] : []).content;
  return { type: 'message_added', message: { role: 'user', content } };
}

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
