/** Formats a session as a Markdown document. Its messages are numbered, so that a fork can refer to them. */

import type { List } from '../list.ts';
import { resultText, textOf } from '../model/messages.ts';
import { mentionsOf } from '../model/notes.ts';
import { isChildRun } from '../session/children/child-ids.ts';
import type { AgentEvent } from '../session/events.ts';
import { foldSession } from '../session/reduce.ts';
import { codeSpan, fence } from '../words/markdown-code.ts';
import { visibleLine, visibleText } from '../words/visible-text.ts';
import { planMarkdown } from './plan-markdown.ts';

/** The maximum length, in characters, of a result or diff that is written completely. */
const MAX_TEXT = 4_000;

/** `seq` is the number of the event. */
export type NumberedMessage = { number: number; seq: number; from: 'user' | 'model'; text: string };

/** Returns the user's messages and the model's answers, numbered from 1. Answers that only call tools have no number. */
export function numberedMessages(events: List<AgentEvent>): NumberedMessage[] {
  const messages: NumberedMessage[] = [];
  for (const event of events) {
    // A child run tells its answer to its parent, in the result of a call.
    if (event.type !== 'message_added' || isChildRun(event.runId)) continue;
    const { message, seq } = event;
    const text = textOf(message);
    if (message.role === 'assistant' && !text.trim()) continue;
    messages.push({ number: messages.length + 1, seq, from: message.role === 'user' ? 'user' : 'model', text });
  }
  return messages;
}

export function sessionMarkdown(events: List<AgentEvent>): string {
  const { title, parent } = foldSession(events);
  const numbers = new Map(numberedMessages(events).map((message) => [message.seq, message]));
  const titles = new Map<string, string>();
  const parts = [`# ${visibleLine(title) || 'Session'}`];
  if (parent) parts.push(`A fork of session ${codeSpan(parent.sessionId)}.`);
  for (const event of events) {
    if (event.type === 'tool_started') titles.set(event.callId, event.title);
    const message = numbers.get(event.seq);
    if (message) parts.push(`## ${message.number} · ${message.from === 'user' ? 'You' : 'Kedge'}`, visibleText(message.text.trim()));
    parts.push(...partsOf(event, titles));
  }
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function partsOf(event: AgentEvent, titles: ReadonlyMap<string, string>): string[] {
  if (isChildRun(event.runId) && /^(run|message|context)_/.test(event.type)) return [];
  switch (event.type) {
    case 'run_started':
      return [`*${time(event.at)} · ${event.mode} · ${visibleLine(`${event.model.provider}/${event.model.model}`)}*`];
    case 'message_added': {
      const mentions = mentionsOf(event.message).map(({ path, name, kind }) => codeSpan(visibleLine(path ?? name ?? kind)));
      return mentions.length > 0 ? [`With ${mentions.join(', ')}`] : [];
    }
    case 'tool_finished': {
      const { result, callId } = event;
      const title = visibleLine(titles.get(callId) ?? result.name);
      return [`**${result.isError ? '✗' : '●'} ${title}**`, details('Result', cut(resultText(result)))];
    }
    case 'file_changed':
      return event.changes.map(({ path, added, removed, diff }) => {
        const head = `${codeSpan(visibleLine(path))} +${added} −${removed}`;
        return diff ? `${head}\n\n${fence(cut(diff), 'diff')}` : head;
      });
    case 'approval_resolved':
      return [event.answer.approve ? '*Approved.*' : `*Rejected.${event.answer.words ? ` ${visibleLine(event.answer.words)}` : ''}*`];
    case 'question_asked':
      return [`**Question:** ${visibleText(event.question.text)}`];
    case 'question_answered':
      return [`**Answer:** ${visibleText('option' in event.answer ? event.answer.option : event.answer.words)}`];
    case 'plan_proposed':
      return [planMarkdown(event.plan).replace(/^#/gm, '###').trim()];
    case 'context_compacted':
      return ['*The conversation was compacted.*'];
    case 'changes_undone':
      return ['*The changes of a run were undone.*'];
    case 'changes_restored':
      return ['*Files were restored to an earlier state.*'];
    case 'run_finished':
      return event.error ? [`*Failed: ${visibleLine(event.error.message)}*`] : [];
    default:
      return [];
  }
}

function details(title: string, text: string): string {
  return text.trim() ? `<details><summary>${title}</summary>\n\n${fence(text)}\n\n</details>` : '';
}

function cut(text: string): string {
  const shown = visibleText(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text);
  return text.length > MAX_TEXT ? `${shown}\n… ${(text.length - MAX_TEXT).toLocaleString('en')} more characters` : shown;
}

function time(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
