/** The messages that a user sends. */

import { type ImagePart, type ModelRef, type NotePart, type TextPart, textOf, type UserMessage } from '../../core/model/messages.ts';
import type { Mode } from '../../core/session/events.ts';
import type { SessionState } from '../../core/session/session-state.ts';

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

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
