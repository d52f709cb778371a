import { callsOf, type Message, resultText, type ToolResult, textOf } from '../../core/messages.ts';
import type { Exchange } from './script.ts';

/** The last user message, and the turns that were taken since. */
export type Transcript = { text: string; past: Exchange[] };

/** The loop's own words after an answer that was cut off: not a request. */
const GO_ON = /^Your last message (was cut|broke) off/;

export function transcriptOf(messages: readonly Message[]): Transcript {
  const start = messages.findLastIndex((message) => message.role === 'user' && !GO_ON.test(textOf(message)));
  const after = messages.slice(start + 1);
  const results = new Map<string, ToolResult>();
  for (const message of after) if (message.role === 'tool') for (const result of message.content) results.set(result.callId, result);
  const past = after.map(callsOf).filter((calls) => calls.length > 0);
  return {
    text: start < 0 ? '' : textOf(messages[start] as Message),
    past: past.map((calls) => ({ calls: calls.map(({ id, name }) => ({ name, reply: replyOf(results.get(id)) })) })),
  };
}

function replyOf(result: ToolResult | undefined): Exchange['calls'][number]['reply'] {
  if (!result) return { text: 'This call was left without a result.', isError: true };
  return { text: resultText(result), isError: result.isError ?? false };
}

/** The number of the next call's id: beyond all calls so far, and beyond every id of this form, also when the history was shortened. */
export function nextCallNumber(messages: readonly Message[]): number {
  const calls = messages.flatMap(callsOf);
  const numbers = calls.map(({ id }) => Number(/^offline-(\d+)/.exec(id)?.[1] ?? 0));
  return numbers.reduce((highest, number) => Math.max(highest, number), calls.length) + 1;
}
