/** Creates the summary of earlier messages: the request to the model, and the text that is used if no model can write it. */

import { addressOf } from '../context/shorten.ts';
import { charactersFor } from '../context/tokens.ts';
import { textOf, type UserMessage } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import type { Compactable } from './carried-state.ts';

const MOST_ANSWERS = 8;

/** Asks the model for a summary. `words` says what the user wants to keep, and `index` lists the numbers of the messages that it can cite. */
export function summaryRequest(index: string, tokens: number, words = ''): UserMessage {
  const keep = words ? `\nThe user asked to keep this above all: ${words}` : '';
  const text = [
    'The conversation is about to be compacted. Write a summary for yourself to continue from. Call no tool.',
    'Use these headings, and leave out those without content: Goal; Decisions and why; Failed attempts, not to be repeated; Done; Next; Facts (exact names, values, paths and commands that are still needed).',
    'The user’s messages, the plan with its states, and the list of changed files are kept automatically: do not repeat them. Cite numbers such as #12 from the list below where details can be read again.',
    `Write at most ${Math.round(charactersFor(tokens) / 7)} words.${keep}`,
    '',
    index,
  ].join('\n');
  return { role: 'user', content: [note('compacted', text)] };
}

export function modelSummary(text: string, tokens: number): string {
  return `Your summary of the earlier messages:\n${text.trim().slice(0, charactersFor(tokens)).toWellFormed()}`;
}

/** Returns the model's latest texts. They replace the summary if no model can write one. */
export function summaryByRules({ messages }: Compactable, keepFrom: number, tokens: number): string {
  const answers = messages
    .slice(0, keepFrom)
    .flatMap((message, at) =>
      message.role === 'assistant' && textOf(message).trim() ? [`${addressOf(at)}: ${textOf(message).trim()}`] : [],
    );
  const latest = answers.slice(-MOST_ANSWERS);
  if (latest.length === 0) return '';
  const most = Math.floor(charactersFor(tokens) / latest.length);
  return `Your latest texts:\n${latest.map((text) => (text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text)).join('\n')}`;
}
