/** The summary of earlier messages: the request to the model, and what stands in its place without a model. */

import { charactersFor } from '../context/tokens.ts';
import { textOf, type UserMessage } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import type { SessionState } from '../session/session-state.ts';

const MOST_ANSWERS = 8;

/** Asks the model for a summary. `words` is what the user wants to keep, `index` lists the numbers of messages that it can cite. */
export function summaryRequest(index: string, tokens: number, words = ''): UserMessage {
  const keep = words ? `\nThe user asks to keep above all: ${words}` : '';
  const text = [
    'The conversation is about to be compacted. Write a summary for yourself to continue from. Call no tool.',
    'Use these headings, and leave out those without content: Goal; Decisions and why; Failed and not to be tried again; Done; Next; Facts (exact names, values, paths and commands that are still needed).',
    'The user’s messages, the plan with its states, and the list of changed files are kept without you: do not repeat them. Cite numbers such as #12 from the list below where details can be read again.',
    `Write at most ${Math.round(charactersFor(tokens) / 7)} words.${keep}`,
    '',
    index,
  ].join('\n');
  return { role: 'user', content: [note('compacted', text)] };
}

export function modelSummary(text: string, tokens: number): string {
  return `Your summary of the earlier messages:\n${text.trim().slice(0, charactersFor(tokens)).toWellFormed()}`;
}

/** The last things that the model said, if no model can write a summary. */
export function summaryByRules({ messages }: SessionState, keepFrom: number, tokens: number): string {
  const answers = messages
    .slice(0, keepFrom)
    .flatMap((message, at) => (message.role === 'assistant' && textOf(message).trim() ? [`#${at + 1}: ${textOf(message).trim()}`] : []));
  const latest = answers.slice(-MOST_ANSWERS);
  if (latest.length === 0) return '';
  const most = Math.floor(charactersFor(tokens) / latest.length);
  return `The last things that you said:\n${latest.map((text) => (text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text)).join('\n')}`;
}
