import { isInWorkspace } from '../core/model/mentions.ts';
import { callsOf, type MentionRef, type Message, resultText, type ToolResult, textOf, type UserMessage } from '../core/model/messages.ts';
import { mentionsOf, notesOf } from '../core/model/notes.ts';
import { mentionsIn } from '../core/words/mention-text.ts';
import type { Exchange } from './script.ts';

/** The last request (the user's text or a confirmed plan) and the turns since then. `servers` describes the MCP servers, if the user asked for them. */
export type Transcript = { text: string; past: Exchange[]; servers?: string | undefined };

export function transcriptOf(messages: readonly Message[]): Transcript {
  const start = messages.findLastIndex((message) => message.role === 'user' && isRequest(message));
  const after = messages.slice(start + 1);
  const results = new Map<string, ToolResult>();
  for (const message of after) if (message.role === 'tool') for (const result of message.content) results.set(result.callId, result);
  const past = after.map(callsOf).filter((calls) => calls.length > 0);
  const asked = messages[start];
  const text = start < 0 ? '' : requestOf(asked as Message);
  return {
    text,
    servers: asked && ASKS_FOR_SERVERS.test(text) ? notesOf(asked).find(({ about }) => about === 'servers')?.text : undefined,
    past: past.map((calls) => ({ calls: calls.map(({ id, name }) => ({ name, reply: replyOf(results.get(id)) })) })),
  };
}

const ASKS_FOR_SERVERS = /^\s*(?:please )?(?:list|show|name|what|which)\b[^\n]*\bMCP\b[^\n]*$/i;

/** Returns true if the message is a request. A message that contains only notes of other kinds informs the model and requests nothing. */
function isRequest(message: UserMessage): boolean {
  return message.content.some((part) => part.type !== 'note' || ['plan', 'image', 'mention'].includes(part.about));
}

function requestOf(message: Message): string {
  const plan = notesOf(message).find(({ about }) => about === 'plan');
  const refs = mentionsOf(message);
  return plan?.text ?? [withoutMarks(textOf(message), refs), ...refs.map(referenceTo)].join('');
}

/** Writes each mention as the path that it names, because the grammar does not support `@`. A selection becomes "this". */
function withoutMarks(text: string, refs: readonly MentionRef[]): string {
  const paths = new Set(refs.map(({ path = '' }) => path.replace(/\/$/, '')));
  let written = '';
  let end = 0;
  for (const { from, to, target, path } of mentionsIn(text)) {
    if (target !== 'selection' && !paths.has(path.replace(/\/$/, ''))) continue;
    written += text.slice(end, from) + (target === 'selection' ? 'this' : path);
    end = to;
  }
  return written + text.slice(end);
}

/** Returns the place of a mention in the form that `splitMessage` reads. Its content is not part of the request. */
function referenceTo(ref: MentionRef): string {
  const { path, lines } = ref;
  if (path === undefined || !isInWorkspace(ref) || /["\n]/.test(path)) return '';
  return `\n<reference path="${path}"${lines ? ` lines="${lines.from}-${lines.to}"` : ''}></reference>`;
}

function replyOf(result: ToolResult | undefined): Exchange['calls'][number]['reply'] {
  if (!result) return { text: 'This tool call has no result. Send the request again.', isError: true };
  return { text: resultText(result), isError: result.isError ?? false };
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
