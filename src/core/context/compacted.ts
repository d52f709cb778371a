/** The messages that a model receives after a compaction. They depend only on the conversation and the logged event. */

import { mentionLabel } from '../model/mentions.ts';
import { isSent, type Message, type NotePart, type TextPart, type UserMessage } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import { carriedNotes } from './rules-in-force.ts';
import { addressOf, shortened, shortenedMessage } from './shorten.ts';

/**
 * What a compaction does. Messages before `keepFrom` are replaced by one message, with the user's own messages, `carried` and `summary`.
 * Messages from `keepFrom` to `shortenBefore` stay, with results of at most `resultChars` characters. Later messages stay as they are.
 * `promptChars` limits each of the user's messages before `keepFrom`, for very long pasted text. All indices count from 0.
 */
export type Compaction = {
  keepFrom: number;
  shortenBefore: number;
  resultChars: number;
  promptChars: number;
  /** What the log knows exactly: the mode, the plan, permissions, files and calls. */
  carried: string;
  summary: string;
};

const INTRO =
  'The messages before this one were compacted to save space. They keep their numbers, and recall reads any of them again, such as "#12". The user’s own messages follow word for word, then the state of the work.';

/** Returns all messages as the model receives them after the compaction. */
export function sentAfter(messages: readonly Message[], compaction: Compaction): Message[] {
  return [...compactedMessages(messages, compaction), ...messages.slice(compaction.shortenBefore).filter(isSent)];
}

/** Returns the messages before `shortenBefore` as the model receives them. */
export function compactedMessages(messages: readonly Message[], compaction: Compaction): Message[] {
  const { keepFrom, shortenBefore, resultChars } = compaction;
  const kept = messages
    .slice(keepFrom, shortenBefore)
    .map((message, at) => shortenedMessage(message, keepFrom + at, resultChars))
    .filter(isSent);
  return keepFrom > 0 ? [head(messages.slice(0, keepFrom), compaction), ...kept] : kept;
}

function head(messages: readonly Message[], { promptChars, carried, summary }: Compaction): UserMessage {
  const said = messages.flatMap((message, index) => (message.role === 'user' ? saidIn(message, index, promptChars) : []));
  const state = [carried, summary].filter(Boolean).join('\n\n');
  return { role: 'user', content: [...carriedNotes(messages), note('compacted', INTRO), ...said, note('compacted', state)] };
}

function saidIn({ content }: UserMessage, index: number, most: number): (NotePart | TextPart)[] {
  const address = addressOf(index);
  const texts = content
    .filter((part) => part.type === 'text')
    .map(({ text }): TextPart => ({ type: 'text', text: shortened(text, most, address) }));
  const images = content.filter(({ type }) => type === 'image').length;
  const mentioned = content.flatMap((part) => (part.type === 'note' && part.ref ? [mentionLabel(part.ref)] : []));
  if (texts.length + images + mentioned.length === 0) return [];
  const shown = [...(images > 0 ? [images === 1 ? 'an image' : `${images} images`] : []), ...mentioned];
  const seen = shown.length > 0 ? ` It came with ${shown.join(', ')}.` : '';
  return [note('compacted', `Message ${address} of the user:${seen}`), ...texts];
}
