/** The messages that a model receives after a compaction. They depend only on the conversation and the logged event. */

import type { List } from '../list.ts';
import { quotedLabel } from '../model/mentions.ts';
import {
  callsOf,
  isSent,
  type Message,
  type NotePart,
  REJECTED,
  resultText,
  type TextPart,
  type ToolMessage,
  type UserMessage,
} from '../model/messages.ts';
import { note } from '../model/notes.ts';
import { carriedNotes } from './rules-in-force.ts';
import { addressOf, shortened, shortenedMessage } from './shorten.ts';

/**
 * The effect of a compaction. Messages before `keepFrom` are replaced by one message with the user's own messages, `carried` and `summary`.
 * Messages from `keepFrom` to `shortenBefore` are kept, with results of at most `resultChars` characters. Later messages are not changed.
 * `promptChars` limits each of the user's messages before `keepFrom`, for very long pasted text, and `rulesChars` limits all rules
 * together. All indices count from 0.
 */
export type Compaction = {
  keepFrom: number;
  shortenBefore: number;
  resultChars: number;
  promptChars: number;
  rulesChars: number;
  /** Facts that are computed from the log: the mode, the plan, permissions, files and calls. */
  carried: string;
  summary: string;
};

const INTRO =
  'The messages before this one were compacted to save space. They keep their numbers, and recall reads any of them again, such as "#12". The user’s messages follow, and then the state of the work.';

/** Returns all messages as the model receives them after the compaction. */
export function sentAfter(messages: List<Message>, compaction: Compaction): Message[] {
  return [...compactedMessages(messages, compaction), ...messages.slice(compaction.shortenBefore).filter(isSent)];
}

/** Returns the messages before `shortenBefore` as the model receives them. */
export function compactedMessages(messages: List<Message>, compaction: Compaction): Message[] {
  const { keepFrom, shortenBefore, resultChars } = compaction;
  const kept = messages
    .slice(keepFrom, shortenBefore)
    .map((message, at) => shortenedMessage(message, keepFrom + at, resultChars))
    .filter(isSent);
  return keepFrom > 0 ? [head(messages.slice(0, keepFrom), compaction), ...kept] : kept;
}

function head(messages: readonly Message[], { promptChars, rulesChars, carried, summary }: Compaction): UserMessage {
  const said = messages.flatMap((message, index) => {
    if (message.role === 'user') return saidIn(message, index, promptChars);
    return message.role === 'tool' ? answeredIn(message, messages[index - 1], index, promptChars) : [];
  });
  const state = [carried, summary].filter(Boolean).join('\n\n');
  return { role: 'user', content: [...carriedNotes(messages, rulesChars), note('compacted', INTRO), ...said, note('compacted', state)] };
}

function saidIn({ content }: UserMessage, index: number, most: number): (NotePart | TextPart)[] {
  const address = addressOf(index);
  const texts = content
    .filter((part) => part.type === 'text')
    .map(({ text }): TextPart => ({ type: 'text', text: shortened(text, most, address) }));
  const images = content.filter(({ type }) => type === 'image').length;
  const mentioned = content.flatMap((part) => (part.type === 'note' && part.ref ? [quotedLabel(part.ref)] : []));
  if (texts.length + images + mentioned.length === 0) return [];
  const shown = [...(images > 0 ? [images === 1 ? 'an image' : `${images} images`] : []), ...mentioned];
  const seen = shown.length > 0 ? ` It came with ${shown.join(', ')}.` : '';
  return [note('compacted', `Message ${address} of the user:${seen}`), ...texts];
}

/** Returns the user's answers to questions and reasons for rejections. They are kept like messages, because the user wrote them. */
function answeredIn({ content }: ToolMessage, before: Message | undefined, index: number, most: number): (NotePart | TextPart)[] {
  return content.flatMap((result, place): (NotePart | TextPart)[] => {
    const isAnswer = result.name === 'ask_user' && !result.isError;
    if (!isAnswer && !result.isError) return [];
    const text = resultText(result);
    if (!isAnswer && !text.startsWith(`${REJECTED}: `)) return [];
    const address = addressOf(index, place);
    const { question } = (callsOf(before).find(({ id }) => id === result.callId)?.input ?? {}) as { question?: unknown };
    const asked =
      isAnswer && typeof question === 'string' ? `Your question: ${shortened(question, most, address)}` : `Your call of ${result.name}:`;
    return [note('compacted', `${address} ${asked}`), { type: 'text', text: shortened(text, most, address) }];
  });
}
