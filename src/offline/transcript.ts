import { callsOf, type Message, resultText, type ToolResult, textOf, type UserMessage } from '../core/model/messages.ts';
import { NOTE_TAG, notesOf } from '../core/model/notes.ts';
import { isConfirmedPlan } from './message.ts';
import type { Exchange } from './script.ts';

/** The last request (the user's text or a confirmed plan) and the turns since then. */
export type Transcript = { text: string; past: Exchange[] };

export function transcriptOf(messages: readonly Message[]): Transcript {
  const start = messages.findLastIndex((message) => message.role === 'user' && isRequest(message));
  const after = messages.slice(start + 1);
  const results = new Map<string, ToolResult>();
  for (const message of after) if (message.role === 'tool') for (const result of message.content) results.set(result.callId, result);
  const past = after.map(callsOf).filter((calls) => calls.length > 0);
  return {
    text: start < 0 ? '' : requestOf(messages[start] as Message),
    past: past.map((calls) => ({ calls: calls.map(({ id, name }) => ({ name, reply: replyOf(results.get(id)) })) })),
  };
}

/** Whether the message is a request. A message that contains only notes of other kinds informs the model and requests nothing. */
function isRequest(message: UserMessage): boolean {
  return message.content.some((part) => {
    if (part.type === 'note') return part.about === 'plan' || part.about === 'image';
    return part.type === 'image' || part.text === '' || withoutFramedNotes(part.text) !== '';
  });
}

function requestOf(message: Message): string {
  return notesOf(message).find(({ about }) => about === 'plan')?.text ?? withoutFramedNotes(textOf(message));
}

/**
 * Removes notes from a text, except a confirmed plan. Notes are part of the text when the conversation reaches this model through the
 * models of VS Code, which know no notes.
 */
function withoutFramedNotes(text: string): string {
  const [before = '', ...pieces] = text.split(`<${NOTE_TAG}>\n`);
  const behind = pieces.map((piece) => {
    const end = piece.indexOf(`\n</${NOTE_TAG}>`);
    if (end < 0) return `<${NOTE_TAG}>\n${piece}`;
    return (isConfirmedPlan(piece) ? piece.slice(0, end) : '') + piece.slice(end + NOTE_TAG.length + 4);
  });
  return before + behind.join('');
}

function replyOf(result: ToolResult | undefined): Exchange['calls'][number]['reply'] {
  if (!result) return { text: 'This tool call has no result. Send the request again.', isError: true };
  const text = resultText(result);
  const plain = withoutFramedNotes(text);
  // A note is in a line of its own.
  return { text: plain === text ? text : plain.replace(/\n$/, ''), isError: result.isError ?? false };
}

/**
 * Returns the number for the id of the next call. It is greater than the number of calls and every number used so far, even if the history
 * was shortened.
 */
export function nextCallNumber(messages: readonly Message[]): number {
  const calls = messages.flatMap(callsOf);
  const numbers = calls.map(({ id }) => Number(/^offline-(\d+)/.exec(id)?.[1] ?? 0));
  return numbers.reduce((highest, number) => Math.max(highest, number), calls.length) + 1;
}
