/** What a user sends. */
import type { Mode } from '../core/events.ts';
import type { ImagePart, ModelRef, NotePart, TextPart, UserMessage } from '../core/messages.ts';

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

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
