/** Shortens the content that a model receives. The complete content stays in the log, where `recall` finds it by its number. */

import type { Message, ToolResult, UserMessage } from '../model/messages.ts';

/** A cut is moved to the end of a line if a line ends within this share of the length. */
const LINE_SLACK = 0.2;
const HEAD = 0.6;
/** A text that is only a little too long is not shortened, because the remark about the omitted part needs space as well. */
const SLACK = 100;

/** The number of a message, from 1, and of a result in it: "#14" or "#14.2". A number never changes during a session. */
export function addressOf(message: number, result?: number): string {
  return result === undefined ? `#${message + 1}` : `#${message + 1}.${result + 1}`;
}

/** Keeps the head and the tail of a text that is longer than `most` characters. `address` says where the complete text can be read. */
export function shortened(text: string, most: number, address: string): string {
  if (text.length <= most + SLACK) return text;
  const head = headOf(text, Math.floor(most * HEAD));
  const tail = tailOf(text, Math.floor(most * (1 - HEAD)));
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters left out here; recall ${address} reads them]\n${tail}`;
}

/** Returns true if a result has more than `most` characters, and is therefore shortened. */
export function isTooLong(result: ToolResult, most: number): boolean {
  return lengthOf(result) > most + SLACK;
}

function lengthOf({ content }: ToolResult): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

export function shortenedResult(result: ToolResult, most: number, address: string): ToolResult {
  if (!isTooLong(result, most)) return result;
  const size = lengthOf(result);
  const content = result.content.map((part) =>
    part.type === 'text' ? { ...part, text: shortened(part.text, Math.floor((most * part.text.length) / size), address) } : part,
  );
  return { ...result, content };
}

/** Shortens the results and mentions of an older message. Images in results are replaced by a line of text. */
export function shortenedMessage(message: Message, index: number, most: number): Message {
  if (message.role === 'user') {
    const isLong = (part: UserMessage['content'][number]) =>
      part.type === 'note' && part.about === 'mention' && part.text.length > most + SLACK;
    if (!message.content.some(isLong)) return message;
    const content = message.content.map((part) =>
      part.type === 'note' && isLong(part) ? { ...part, text: shortened(part.text, most, addressOf(index)) } : part,
    );
    return { ...message, content };
  }
  if (message.role !== 'tool') return message;
  return {
    ...message,
    content: message.content.map((result, at) => {
      const address = addressOf(index, at);
      const short = shortenedResult(result, most, address);
      if (!short.content.some(({ type }) => type === 'image')) return short;
      const content = short.content.map((part) =>
        part.type === 'image' ? { type: 'text' as const, text: `[an image was here; recall ${address} shows it]` } : part,
      );
      return { ...short, content };
    }),
  };
}

function headOf(text: string, most: number): string {
  const end = safeEnd(text, most);
  const line = text.lastIndexOf('\n', end);
  return text.slice(0, line > end * (1 - LINE_SLACK) ? line : end);
}

function tailOf(text: string, most: number): string {
  const begin = safeEnd(text, text.length - most);
  const line = text.indexOf('\n', begin);
  return text.slice(line >= 0 && line - begin < most * LINE_SLACK ? line + 1 : begin);
}

/** Returns an index that does not separate the two halves of a character. */
function safeEnd(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}
