/** What a user sends. */

import { type ImagePart, type ModelRef, type NotePart, type TextPart, textOf, type UserMessage } from '../../core/model/messages.ts';
import { withoutNotes } from '../../core/model/notes.ts';
import type { Mode } from '../../core/session/events.ts';
import type { SessionState } from '../../core/session/session-state.ts';

/** `text` may be empty where something is attached. */
export type Prompt = {
  text: string;
  mode: Mode;
  /** Overrides the model of the mode. */
  model?: ModelRef;
  /** Added to the message after the text: referenced files, selections, images. */
  attachments?: (TextPart | ImagePart)[];
  /** What Kedge tells the model with it. */
  notes?: NotePart[];
};

/** What the user sent last, with what was attached, to be answered again. The run of a plan was not asked for in words. */
export function lastPrompt({ lastRun, messages }: SessionState): Prompt | undefined {
  if (!lastRun || lastRun.plan) return undefined;
  const said = messages.slice(lastRun.messagesBefore).filter((message) => message.role === 'user');
  // What waited to join goes before it.
  const message = said.find((each) => textOf(each).startsWith(lastRun.prompt)) ?? said[0];
  const [first, ...rest] = withoutNotes(message?.content ?? []);
  if (!first) return undefined;
  const text = first.type === 'text' ? first.text : '';
  return { text, mode: lastRun.mode, attachments: first.type === 'text' ? rest : [first, ...rest] };
}

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
