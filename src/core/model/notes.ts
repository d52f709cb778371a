/** What Kedge itself tells a model. It is a part of its own in a message, so that it is never taken for the words of the user or of a tool. */
import type { ImagePart, Message, NotePart, TextPart, ToolMessage, ToolResult, UserMessage } from './messages.ts';

/** Explained to the model by the system prompt. */
export const NOTE_TAG = 'kedge_note';
/** Case and blanks make no difference to a model, so they make none here. */
const TAG_BEGINS = new RegExp(`<(?=\\s*(?:/\\s*)?${NOTE_TAG})`, 'gi');
/** Wires put the parts of a message together, so a tag could begin at the end of one part and go on in the next. */
const ITS_BEGINNINGS = [...NOTE_TAG].reduceRight((rest, letter) => `(?:${letter}${rest})?`, '');
const TAG_BEGINS_OR_END = new RegExp(`<(?=\\s*(?:/\\s*)?(?:${NOTE_TAG}|${ITS_BEGINNINGS}$))`, 'gi');

export function note(about: NotePart['about'], text: string): NotePart {
  return { type: 'note', about, text };
}

export function notesOf(message: Message): NotePart[] {
  return message.role === 'user' ? message.content.filter((part) => part.type === 'note') : [];
}

/** For the user. A plan is shown as what it is, and not once more as a note. */
export function noteTexts(message: Message): string[] {
  return notesOf(message).flatMap(({ about, text }) => (about === 'plan' || about === 'plan_change' ? [] : [text]));
}

export function withoutNotes<Part extends { type: string }>(parts: readonly Part[]): Exclude<Part, NotePart>[] {
  return parts.filter((part): part is Exclude<Part, NotePart> => part.type !== 'note');
}

/** A message as a wire sends it: notes are text in a frame, and what others wrote cannot hold that frame. */
export type FramedResult = Omit<ToolResult, 'content'> & { content: (TextPart | ImagePart)[] };
export type FramedMessage =
  | Exclude<Message, UserMessage | ToolMessage>
  | { role: 'user'; content: (TextPart | ImagePart)[] }
  | { role: 'tool'; content: FramedResult[] };

/** Depends on nothing but the message, so that a request begins with the same bytes as the one before it. */
export function framed(message: Message): FramedMessage {
  if (message.role === 'assistant') return message;
  if (message.role === 'user') return { role: 'user', content: framedParts(message.content) };
  return { role: 'tool', content: message.content.map((result) => ({ ...result, content: framedParts(result.content) })) };
}

export function framedNote(text: string): string {
  return `<${NOTE_TAG}>\n${withoutFrames(text)}\n</${NOTE_TAG}>`;
}

function framedParts(parts: readonly (TextPart | ImagePart | NotePart)[]): (TextPart | ImagePart)[] {
  return parts.map((part, index) => {
    if (part.type === 'note') return { type: 'text', text: framedNote(part.text) };
    return part.type === 'image' ? part : { ...part, text: withoutFrames(part.text, index === parts.length - 1) };
  });
}

/** The same text, in which no frame of a note begins; `isLast`: no other text follows it. */
export function withoutFrames(text: string, isLast = true): string {
  return text.replace(isLast ? TAG_BEGINS : TAG_BEGINS_OR_END, '&lt;');
}
